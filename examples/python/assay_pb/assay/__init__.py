"""The messages of assayd, as protoc wrote them."""
