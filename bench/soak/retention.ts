/** How long the soak's brain keeps rows, in whole minutes: the rollups count in them. */
export const retentionMinutes = 5
