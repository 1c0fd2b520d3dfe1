import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { fromWallClock, toWallClock } from "../format/wallClock.ts"
import { useZone } from "../format/zone.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { fieldText } from "./Fields.tsx"
import { TimeField } from "./TimeField.tsx"

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const durations = [30 * minute, hour, 4 * hour, day, 7 * day]
const morningHour = "09:00"

/** The next time that the wall clock of the zone says nine o'clock. */
const nextMorning = (now: number, zone: string | undefined): number => {
  const today = fromWallClock(`${toWallClock(now, zone).slice(0, 10)}T${morningHour}`, zone)
  if (today > now) return today
  return fromWallClock(`${toWallClock(now + day, zone).slice(0, 10)}T${morningHour}`, zone)
}

/** Until when something is silent: usual times and conditions by one press, any other time by a field. */
export const UntilDialog = ({ conditions = {}, end, hint, onChoose, onClose, other, silentUntil, subject, title }: {
  readonly title: string
  /** What is silent. */
  readonly subject: string
  readonly hint: string
  /** What the button beside the field says. */
  readonly other: string
  /** What the button says that ends the silence. */
  readonly end: string
  readonly silentUntil: string | null
  /** What can end it besides a time: texts of buttons, by the value that each one chooses. */
  readonly conditions?: Readonly<Record<string, string>>
  /** Null ends the silence. */
  readonly onChoose: (until: string | null) => void
  readonly onClose: () => void
}) => {
  const { alerts: texts } = useTexts()
  const format = useFormat()
  const zone = useZone()
  const now = useNow()
  const morning = nextMorning(now, zone)
  const silentUntilTime = silentUntil === null || silentUntil in conditions ? null : Date.parse(silentUntil)
  const isSilent = silentUntil !== null && (silentUntilTime === null || silentUntilTime > now)
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => {
        const choose = (until: number | string | null) => {
          onChoose(typeof until === "number" ? new Date(until).toISOString() : until)
          close()
        }
        return (
          <div className="mt-3 grid gap-4">
            <p className="break-words text-soft">{subject}</p>
            <p>{hint}</p>
            <div className="grid gap-2 md:grid-cols-2">
              {durations.map((millis, index) => (
                <Button
                  key={millis}
                  className="max-md:h-11"
                  data-autofocus={index === 0 ? true : undefined}
                  onClick={() => choose(Date.now() + millis)}
                >
                  {texts.snoozeFor(format.duration(millis))}
                </Button>
              ))}
              <Button className="max-md:h-11" onClick={() => choose(morning)}>
                {texts.snoozeUntilMorning(format.axis(morning, hour))}
              </Button>
              {Object.entries(conditions).map(([condition, text]) => (
                <Button
                  key={condition}
                  className="max-md:h-11"
                  onClick={() => choose(condition)}
                >
                  {text}
                </Button>
              ))}
            </div>
            <form
              className="flex flex-wrap items-end gap-2"
              onSubmit={(event) => {
                event.preventDefault()
                const time = fromWallClock(fieldText(new FormData(event.currentTarget), "until"), zone)
                if (!Number.isNaN(time)) choose(time)
              }}
            >
              <TimeField
                label={texts.snoozeUntil}
                name="until"
                initial={isSilent ? silentUntilTime ?? morning : morning}
                min={toWallClock(now, zone)}
                max={toWallClock(now + 30 * day, zone)}
              />
              <Button type="submit" className="h-9">{other}</Button>
            </form>
            {isSilent && <Button className="max-md:h-11" onClick={() => choose(null)}>{end}</Button>}
          </div>
        )
      }}
    </Dialog>
  )
}
