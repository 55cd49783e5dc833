package assay.client;

/** How much a rejection tells. */
public enum Report {
    /** The value of a member that is left out. */
    UNSPECIFIED,
    /** The judgement ends at the first failure. */
    FIRST,
    /** Each failure is a finding. */
    ALL
}
