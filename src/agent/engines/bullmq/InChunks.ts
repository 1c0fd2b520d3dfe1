/** As `Promise.all`, of so many at a time. */
export const inChunks = async <A, B>(
  all: ReadonlyArray<A>,
  size: number,
  read: (one: A) => Promise<B>
): Promise<ReadonlyArray<B>> => {
  const results: Array<B> = []
  for (let from = 0; from < all.length; from += size) {
    results.push(...await Promise.all(all.slice(from, from + size).map(read)))
  }
  return results
}
