import type { Schemas } from "../../api/client.ts"
import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { Problem } from "../../ui/Problem.tsx"
import { StateShape } from "../../ui/StateMark.tsx"

/** The result of a test message: that the brain waits for the response, the response, or why there was no test. */
export const TestResult = ({ test }: {
  readonly test: {
    readonly isPending: boolean
    readonly error: Error | null
    readonly data: Schemas["ChannelTestResult"] | undefined
  }
}) => {
  const { channels: texts } = useTexts()
  const format = useFormat()
  const { data, error, isPending } = test
  if (!isPending && error === null && data === undefined) return null
  return (
    <div role="status" className="grid gap-2 rounded-base border border-line p-3">
      {isPending
        ? <p className="text-soft">{texts.testing}</p>
        : error !== null
        ? <Problem error={error} />
        : data !== undefined && (
          <>
            <p className="flex items-center gap-2 font-medium">
              <StateShape state={data.success ? "success" : "failure"} />
              {data.success ? texts.accepted : texts.refused}
              <span className="figures font-normal text-soft">
                {data.status_code === null ? texts.noStatus : texts.status(format.number(data.status_code))}
              </span>
            </p>
            {data.error !== null && <p className="break-words">{data.error}</p>}
            {data.response_body !== null && data.response_body !== "" && (
              <pre
                aria-label={texts.response}
                tabIndex={0}
                className="max-h-48 overflow-auto font-mono text-small break-words whitespace-pre-wrap"
              >
                {data.response_body}
              </pre>
            )}
          </>
        )}
    </div>
  )
}
