import type { Schemas } from "../api/client.ts"
import type { TaskState } from "./states.ts"

type Facets = Schemas["TaskFacetCounts"]

/** How many tasks there are, or at least are. */
export interface StateCount {
  readonly value: number
  readonly isExact: boolean
}

/** Of tasks that were not all counted, none is no number: there may be some among the others. */
const atLeast = (value: number): StateCount | undefined => value === 0 ? undefined : { value, isExact: false }

/** How many tasks the line finds without its states. */
export const countAll = (ofRest: Facets): StateCount | undefined =>
  ofRest.is_state_complete
    ? { value: ofRest.state.reduce((sum, { count }) => sum + count, 0), isExact: true }
    : atLeast(ofRest.counted)

/** Those of a state. Where they were not all counted, the counts of the line itself may have the states that it names. */
export const countState = (
  state: TaskState,
  ofRest: Facets,
  ofLine: Facets | undefined,
  named: ReadonlyArray<string>
): StateCount | undefined => {
  const countIn = (facets: Facets) => facets.state.find(({ value }) => value === state)?.count ?? 0
  if (ofRest.is_state_complete) return { value: countIn(ofRest), isExact: true }
  if (ofLine?.is_state_complete === true && named.includes(state)) return { value: countIn(ofLine), isExact: true }
  return atLeast(countIn(ofRest))
}
