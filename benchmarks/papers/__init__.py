"""The five published systems on real text: each paper's experiment rebuilt, its table beside ours."""
