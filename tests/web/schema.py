"""Answers of the page's JSON, checked against its OpenAPI document."""

from jsonschema import Draft202012Validator

from leitong.web.openapi import openapi

DOCUMENT = openapi()


def valid(value: object, path: str, method: str = "get", status: int = 200) -> None:
    """Check an answer against the OpenAPI document."""
    answers = DOCUMENT["paths"][path][method]["responses"][str(status)]
    schema = answers["content"]["application/json"]["schema"]
    Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(value)
