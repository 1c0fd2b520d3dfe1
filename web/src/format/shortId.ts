/** UUIDs, with dashes or without, and fingerprints of failure groups. */
const randomId = /^([0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/**
 * The last eight characters of a random id, as `svc` shows and takes them: the first eight of a UUIDv7 are a time, which the
 * records of a minute share. Other ids stay whole.
 */
export const shortId = (id: string): string => (randomId.test(id) ? id.slice(-8) : id)
