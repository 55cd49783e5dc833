package assay.client;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What the daemon knows of the caller. */
public final class Caller {
    /** In the configuration and in the audit log. */
    public final String name;
    /** Such as {@code key} or {@code uri}. */
    public final String recognisedBy;
    public final String mark;
    public final List<String> roles;
    /** Whether the caller may name every app. */
    public final boolean allApps;
    public final List<String> apps;
    /** The JSON of the answer, for members that are newer than this client. */
    public final Map<String, Object> raw;

    Caller(Fields fields) throws Fields.Undecodable {
        name = fields.text("name");
        recognisedBy = fields.text("recognisedBy");
        mark = fields.text("mark");
        roles = fields.texts("roles");
        allApps = fields.bool("allApps");
        apps = fields.texts("apps");
        raw = Collections.unmodifiableMap(fields.raw);
    }
}
