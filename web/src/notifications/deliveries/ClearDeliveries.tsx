import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Schemas } from "../../api/client.ts"
import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { fieldText, SelectField } from "../../ui/Fields.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { useToast } from "../../ui/Toasts.tsx"

const dayMillis = 86_400_000

/** Deletes the log of what has ended, all of it or what is older; the toast says how many there were. */
export const ClearDeliveries = ({ clear, queryKey, slug }: {
  readonly clear: (before: string | null) => Promise<Schemas["ClearDeliveriesResult"]>
  readonly queryKey: ReadonlyArray<string>
  readonly slug: string
}) => {
  const { deliveries: texts } = useTexts()
  const format = useFormat()
  const queries = useQueryClient()
  const toast = useToast()
  const [isOpen, setOpen] = useState(false)
  const choices = {
    "30": texts.olderThan(format.duration(30 * dayMillis)),
    "7": texts.olderThan(format.duration(7 * dayMillis)),
    "1": texts.olderThan(format.duration(dayMillis)),
    all: texts.allEnded
  }
  return (
    <>
      <Button variant="danger" onClick={() => setOpen(true)}>{texts.clear}</Button>
      {isOpen && (
        <FormDialog
          title={texts.clearTitle}
          submit={texts.clear}
          variant="danger"
          phrase={slug}
          onSubmit={async (form) => {
            const days = fieldText(form, "age")
            const before = days === "all" ? null : new Date(Date.now() - Number(days) * dayMillis).toISOString()
            const { deleted } = await clear(before)
            toast.show({ title: texts.cleared(format.count(deleted)), text: texts.clearedHint, tone: "plain" })
            await queries.invalidateQueries({ queryKey })
          }}
          onClose={() => setOpen(false)}
        >
          <p className="text-soft">{texts.clearHint}</p>
          <SelectField label={texts.which} name="age" choices={choices} initial="30" />
        </FormDialog>
      )}
    </>
  )
}
