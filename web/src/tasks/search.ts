interface Page {
  readonly searched_to?: string
}

/** A search goes on by itself for so many pages of half a second at most, so that a forgotten tab does not search for ever. */
export const unfinishedPages = 20

/** Pages at the end of the list whose search stopped early. */
export const countUnfinished = (pages: ReadonlyArray<Page>): number =>
  pages.length - 1 - pages.findLastIndex(({ searched_to }) => searched_to === undefined)

/** Whether the search goes on without a further word of the person, who has asked for `askedPages`. */
export const canSearchOn = (pages: ReadonlyArray<Page>, ownPages: number, askedPages: number): boolean =>
  countUnfinished(pages) < Math.max(ownPages, askedPages)
