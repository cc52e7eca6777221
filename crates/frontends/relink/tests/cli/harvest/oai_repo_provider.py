"""An OAI-PMH provider (oai_repo) with seven LOM records, three per page. It drops deleted records."""
from datetime import datetime

from lxml import etree
from oai_repo import DataInterface, Identify, MetadataFormat, OAIRepository, RecordHeader

LOM = "http://ltsc.ieee.org/xsd/LOM"


class Repository(DataInterface):
    limit = 3

    def get_identify(self):
        return Identify(
            base_url="http://127.0.0.1/", repository_name="Test",
            admin_email=["a@example.org"], earliest_datestamp="2020-01-01T00:00:00Z",
            deleted_record="persistent", granularity="YYYY-MM-DDThh:mm:ssZ")

    def is_valid_identifier(self, identifier):
        return identifier.startswith("oai:repo:")

    def get_metadata_formats(self, identifier=None):
        return [MetadataFormat(
            metadata_prefix="oai_lom", schema="http://ltsc.ieee.org/xsd/lomv1.0/lom.xsd",
            metadata_namespace=LOM)]

    def get_record_header(self, identifier):
        status = "deleted" if identifier == "oai:repo:3" else None
        return RecordHeader(identifier=identifier, datestamp="2020-01-01T00:00:00Z", status=status)

    def get_record_metadata(self, identifier, metadataprefix):
        number = identifier.rsplit(":", 1)[1]
        if number == "3":
            return None
        return etree.fromstring(
            f'<lom xmlns="{LOM}"><general><title><string>T{number}</string></title></general>'
            f"<technical><location>http://repo{number}.invalid/?a=1&amp;b=2</location></technical></lom>")

    def get_record_abouts(self, identifier):
        return []

    def list_set_specs(self, identifier=None, cursor=0):
        return (None, None, None)

    def get_set(self, setspec):
        return None

    def list_identifiers(self, metadataprefix, filter_from=None, filter_until=None, filter_set=None, cursor=0):
        names = [f"oai:repo:{number}" for number in range(7)]
        return (names[cursor:cursor + self.limit], len(names), None)


repository = OAIRepository(Repository())
serve(lambda arguments: bytes(repository.process(arguments)))
