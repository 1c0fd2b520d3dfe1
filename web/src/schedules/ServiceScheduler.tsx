import { useQuery } from "@tanstack/react-query"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { fleetQuery } from "./queries.ts"

const refetchMillis = 5_000

const countOf = (value: unknown): number => (typeof value === "number" ? value : 0)

/** What fires the service's own schedules: the brain, or scheduler programs, active ones and standbys. */
export const ServiceScheduler = ({ slug }: { readonly slug: string }) => {
  const { schedules: { schedulers: texts } } = useTexts()
  const format = useFormat()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const { data } = useQuery({ ...fleetQuery(slug), refetchInterval })
  const own = data?.schedulers[0]
  if (own === undefined) return null
  const firing = countOf(own.info?.firing)
  const standby = countOf(own.info?.standby)
  const programs = texts.programs(format.count(firing), format.number(standby))
  const isOfBrain = own.info?.fired_by === "brain"
  return (
    <p className="px-4 pb-3">
      <span className="font-medium">svc-scheduler</span>{" "}
      <span className={own.ok === true ? "text-success" : "text-failure"}>
        {own.ok === true ? (isOfBrain ? texts.byBrain : programs) : texts.nothingFires}
      </span>
      {isOfBrain && firing + standby > 0 && <span className="text-soft">{programs}</span>}
    </p>
  )
}
