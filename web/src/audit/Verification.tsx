import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { Problem } from "../ui/Problem.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { useAction } from "../ui/useAction.ts"

const path = "/api/v1/projects/{slug}/audit/verification"

const colours = { intact: "text-success", broken: "text-failure", error: "text-retry" } as const

/** What the last verification of all entries found, and one that runs, which a person can start. */
export const Verification = ({ slug }: { readonly slug: string }) => {
  const { audit: { verify: texts } } = useTexts()
  const format = useFormat()
  const queries = useQueryClient()
  const key = ["audit-verification", slug]
  const slow = useRefetchInterval(60_000)
  const quick = useRefetchInterval(1_000)
  const query = useQuery({
    queryKey: key,
    queryFn: () => unwrap(api.GET(path, { params: { path: { slug } } })),
    refetchInterval: ({ state }) => state.data === undefined || state.data.status === "idle" ? slow : quick
  })
  const verify = useAction(key, async () => {
    queries.setQueryData(key, await unwrap(api.POST(path, { params: { path: { slug } } })))
  })
  const { data } = query
  if (data === undefined) return query.error === null ? null : <Problem error={query.error} />
  const { checked_rows, last, status, total_rows } = data
  const share = total_rows === null ? 0 : Math.min(1, (checked_rows ?? 0) / total_rows)
  return (
    <div className="grid justify-items-start gap-2">
      <p role="status">
        {last === null ? <span className="text-soft">{texts.never}</span> : (
          <>
            <span className={colours[last.outcome]}>
              {texts.results[last.outcome](format.number(last.rows), format.number(last.problem?.seq ?? 0))}
            </span>{" "}
            <Time at={last.finished_at} />
          </>
        )}
      </p>
      {last !== null && last.problem !== null && (
        <p>
          {texts.problems[last.problem.kind]}{" "}
          {last.problem.cursor !== null && (
            <TextLink to="/projects/$slug/audit" params={{ slug }} search={{ from: last.problem.cursor }}>
              {texts.showEntry}
            </TextLink>
          )}
        </p>
      )}
      {status === "idle"
        ? <Button disabled={verify.isPending} onClick={() => verify.mutate()}>{texts.start}</Button>
        : (
          <div className="grid w-full max-w-90 gap-1">
            <span className="text-soft">
              {total_rows === null
                ? texts.starting
                : texts.progress(format.number(checked_rows ?? 0), format.number(total_rows))}
            </span>
            <div
              role="progressbar"
              aria-label={texts.start}
              aria-valuemin={0}
              aria-valuemax={100}
              aria-valuenow={Math.round(share * 100)}
              className="h-1.5 rounded-base bg-line"
            >
              <div className="h-full rounded-base bg-ink" style={{ width: `${share * 100}%` }} />
            </div>
          </div>
        )}
    </div>
  )
}
