"""Speed, measured side by side in one run: machines are noisy, ratios less so. And accuracy, beside other tools."""
