// The program of PAPERS P2, written again from the public algorithms: an oracle that shares no code with Leitong.
// Input: lines of word^weight, blanks between them. Output: SimHash32 and SimHash64 in binary, then the last word's hashes.
#include <cstdint>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static const uint32_t kSeed = 999999937u;

static uint32_t murmur32(const std::string &key) {
  const uint32_t m = 0x5bd1e995;
  size_t len = key.size();
  uint32_t h = kSeed ^ static_cast<uint32_t>(len);
  const unsigned char *p = reinterpret_cast<const unsigned char *>(key.data());
  for (; len >= 4; p += 4, len -= 4) {
    uint32_t k;
    std::memcpy(&k, p, 4);
    k *= m, k ^= k >> 24, k *= m;
    h *= m, h ^= k;
  }
  switch (len) {
  case 3: h ^= uint32_t(p[2]) << 16;  // fall through
  case 2: h ^= uint32_t(p[1]) << 8;   // fall through
  case 1: h ^= p[0], h *= m;
  }
  h ^= h >> 13, h *= m, h ^= h >> 15;
  return h;
}

static uint64_t murmur64(const std::string &key) {
  const uint64_t m = 0xc6a4a7935bd1e995ull;
  size_t len = key.size();
  uint64_t h = kSeed ^ (len * m);
  const unsigned char *p = reinterpret_cast<const unsigned char *>(key.data());
  for (; len >= 8; p += 8, len -= 8) {
    uint64_t k;
    std::memcpy(&k, p, 8);
    k *= m, k ^= k >> 47, k *= m;
    h ^= k, h *= m;
  }
  if (len) {
    uint64_t k = 0;
    std::memcpy(&k, p, len);
    h ^= k, h *= m;
  }
  h ^= h >> 47, h *= m, h ^= h >> 47;
  return h;
}

template <typename T> static std::string bits(T value) {
  std::string shown;
  for (int i = sizeof(T) * 8 - 1; i >= 0; --i) shown += ((value >> i) & 1) ? '1' : '0';
  return shown;
}

template <typename T>
static T simhash(const std::vector<std::string> &words, const std::vector<double> &weights, T (*hash)(const std::string &)) {
  std::vector<double> sums(sizeof(T) * 8, 0.0);
  for (size_t w = 0; w < words.size(); ++w) {
    const T h = hash(words[w]);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += ((h >> i) & 1) ? weights[w] : -weights[w];
  }
  T value = 0;
  for (size_t i = 0; i < sums.size(); ++i)
    if (sums[i] > 0) value |= T(1) << i;
  return value;
}

int main() {
  std::string line, part;
  while (std::getline(std::cin, line)) {
    std::vector<std::string> words;
    std::vector<double> weights;
    for (std::istringstream parts(line); parts >> part;) {
      const size_t mark = part.rfind('^');
      words.push_back(part.substr(0, mark));
      weights.push_back(std::stod(part.substr(mark + 1)));
    }
    std::cout << bits(simhash<uint32_t>(words, weights, murmur32)) << '\t'
              << bits(simhash<uint64_t>(words, weights, murmur64)) << '\n';
  }
}
