"""The same page on real servers, and what it does when one is slow or gone."""

import time
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from leitong.indexer import open_index
from tests.engines.places import SERVERS, Place, cleaned, needs_client
from tests.servers.relay import Relay
from tests.web.conftest import ODD, TOKEN, Serve, articles

pytestmark = pytest.mark.servers


@pytest.fixture(params=["elasticsearch", "opensearch"], scope="module")
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    if request.param == "elasticsearch":
        needs_client(9)
    yield from cleaned(Place(request.param, str(request.getfixturevalue(SERVERS[request.param]))))


@pytest.fixture(scope="module")
def locator(place: Place) -> str:
    name = place.locator()
    with open_index(name, create=True) as index:
        index.add(articles())
    return name


def test_pages_answer_as_on_a_folder(serve: Serve, site: TestClient, locator: str) -> None:
    with serve(locator, token=TOKEN) as client:
        for address in ("/", "/search?q=新馆", "/document?id=news/1", "/compare?a=news/1&b=moved", "/duplicates"):
            assert client.get(address).status_code == 200, address
        assert client.get(f"/document?id={quote(ODD, safe='')}").status_code == 200
        for address in ("/api/similar?id=news/1", "/api/counts?id=news/1", "/api/compare?a=news/1&b=news/3"):
            assert client.get(address).json() == site.get(address).json(), address
        searched, expected = (one.get("/api/search?q=新馆&filter=category%3Dlocal").json() for one in (client, site))
        assert [hit["id"] for hit in searched["hits"]] == [hit["id"] for hit in expected["hits"]] == ["news/1"]


def test_decisions_are_kept_in_the_server(serve: Serve, locator: str) -> None:
    with open_index(locator) as index:
        assert index.keep_report(index.report())
    with serve(locator, token=TOKEN) as client:
        asked = {"decision": "keep", "id": "news/2"}
        kept = client.post("/api/decide", json=asked, headers={"authorization": f"Bearer {TOKEN}"})
        assert kept.json()["keep"] == ["news/2"]
    with serve(locator) as client:
        assert client.get("/api/clusters?state=decided").json()["clusters"][0]["representative"] == "news/2"


def test_a_slow_or_dead_server_is_a_plain_page_and_comes_back_by_itself(
    serve: Serve, place: Place, locator: str
) -> None:
    relay = Relay(place.root)
    name = locator.rpartition("/")[2]
    with serve(f"http://127.0.0.1:{relay.port}/{name}", seconds=8.0) as client:
        assert client.get("/search?q=新馆").status_code == 200
        relay.stop()
        for address in ("/search?q=新馆", "/api/search?q=新馆", "/healthz"):
            reply = client.get(address)
            assert reply.status_code == 503, address
            assert "127.0.0.1" not in reply.text and "Traceback" not in reply.text
        relay.start()
        answers_again(client)
        relay.pause()
        begun = time.monotonic()
        assert client.get("/search?q=新馆").status_code == 503
        assert time.monotonic() - begun < 30
        relay.resume()
        answers_again(client)
    relay.stop()


def answers_again(client: TestClient) -> None:
    until = time.monotonic() + 90
    while client.get("/search?q=新馆").status_code != 200:
        assert time.monotonic() < until, "it did not come back"
        time.sleep(0.5)
