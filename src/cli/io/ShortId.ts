/** Ids that the brain or an engine makes at random: UUIDs, with dashes or without, and fingerprints of failure groups. */
const randomId = /^([0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

export const isWholeId = (text: string): boolean => randomId.test(text)

/**
 * The last eight characters of an id. The first eight of a UUIDv7 are a time in steps of 65 s, which the records of a minute
 * share; the last eight are random, so that among 10 000 records two are the same once in 85 lists. Other ids stay whole:
 * BullMQ's are short, and the end of others may be a time too.
 */
export const shortId = (id: string): string => (randomId.test(id) ? id.slice(-8) : id)

/** As of Git's hashes: a shorter part too often is that of a record that was not meant. */
const minPartLength = 4

/** Whether the text may be a part of an id. */
export const isIdPart = (text: string): boolean => text.length >= minPartLength

/**
 * Whether an id is the one that a person typed, or begins or ends with what the person typed, or its last eight characters
 * begin with it, which are what lists show.
 */
export const hasIdPart = (id: string, typed: string): boolean => {
  const [whole, part] = [id.toLowerCase(), typed.toLowerCase()]
  const isPart = whole.startsWith(part) || shortId(whole).startsWith(part) || whole.endsWith(part)
  return whole === part || (isIdPart(part) && isPart)
}
