import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Pills } from "../ui/Pills.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import { useFacets } from "./Facets.tsx"
import { checkLine, replaceState, valuesOf } from "./queryTokens.ts"
import { countAll, countState, type StateCount } from "./stateCounts.ts"
import { type TaskState, taskStates } from "./states.ts"

/** The number has its place before it is known, so that no pill moves. */
const Count = ({ count }: { readonly count: StateCount | undefined }) => {
  const format = useFormat()
  return (
    <span className="figures min-w-[3ch] text-small text-soft">
      {count !== undefined && `${format.compact(count.value)}${count.isExact ? "" : "+"}`}
    </span>
  )
}

/** The states of tasks with how many tasks of each the rest of the line finds; a press shows those of one. */
export const StateFilter = ({ line, onChange, slug }: {
  readonly slug: string
  readonly line: string
  readonly onChange: (line: string) => void
}) => {
  const { states, tasks: texts } = useTexts()
  const chosen = valuesOf(line, "state")
  const { data: ofRest } = useFacets(slug, checkLine(replaceState(line, undefined)).valid)
  const isPartial = ofRest?.is_state_complete === false
  const { data, isPlaceholderData } = useFacets(slug, checkLine(line).valid, isPartial && chosen.length > 0)
  const ofLine = isPlaceholderData ? undefined : data
  const hint = isPartial ? { hint: texts.facetsPartial } : {}
  return (
    <Pills<TaskState | undefined>
      label={texts.columns.state}
      className="px-4 pb-3"
      choices={[
        {
          ...hint,
          value: undefined,
          text: (
            <>
              {texts.allStates}
              <Count count={ofRest && countAll(ofRest)} />
            </>
          )
        },
        ...taskStates.map((state) => ({
          ...hint,
          value: state,
          text: (
            <>
              <StateShape state={state} />
              {states[state]}
              <Count count={ofRest && countState(state, ofRest, ofLine, chosen)} />
            </>
          )
        }))
      ]}
      isChosen={(state) => state === undefined ? chosen.length === 0 : chosen.includes(state)}
      onChoose={(state) => onChange(replaceState(line, state))}
    />
  )
}
