interface Page {
  readonly searched_to?: string
}

/** A search continues by itself for so many pages of half a second at most, so that a forgotten tab stops searching. */
export const unfinishedPages = 20

/** Pages at the end of the list whose search stopped early. */
export const countUnfinished = (pages: ReadonlyArray<Page>): number =>
  pages.length - 1 - pages.findLastIndex(({ searched_to }) => searched_to === undefined)

/** Whether the search continues without a further click of the person, who has requested `requestedPages`. */
export const canSearchOn = (pages: ReadonlyArray<Page>, ownPages: number, requestedPages: number): boolean =>
  countUnfinished(pages) < Math.max(ownPages, requestedPages)
