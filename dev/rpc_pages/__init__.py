"""What dev/write-rpc-pages.py consists of:

    document    the methods of docs/openapi.yaml, each with one request
    examples    the requests of methods for which the declarations have none
    values      a request as values of the types that its schema declares
    layout      code in one line where it fits, otherwise in several
    languages   a request in each language, and how a program of such requests is compiled and run
    pages       the pages
    recorder    an HTTP server that takes the requests down
    trial       all requests of a language, run against the recorder and compared with the pages'
"""
