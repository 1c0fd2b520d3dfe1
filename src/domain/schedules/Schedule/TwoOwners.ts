/** The `quarantine_code` of a schedule that connected agents publish with different definitions. */
export const twoOwners = "two_owners"
