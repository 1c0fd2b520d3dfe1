import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"
import { useAction } from "../ui/useAction.ts"
import { nameOfUserAgent } from "./userAgent.ts"

type Device = Schemas["TrustedDevice"]

const key = ["trusted-devices"]

const RenameForm = ({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) => {
  const { forms, secondFactor: texts } = useTexts()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.renameDevice}
      submit={forms.save}
      onClose={onClose}
      onSubmit={async (form) => {
        await unwrap(api.PATCH("/api/v1/auth/mfa/trusted-devices/{device_id}", {
          params: { path: { device_id: device.id } },
          body: { label: fieldText(form, "label") }
        }))
        await queries.invalidateQueries({ queryKey: key })
      }}
    >
      <TextField
        label={texts.deviceName}
        name="label"
        defaultValue={nameOfUserAgent(device.label)}
        maxLength={200}
        data-autofocus
      />
    </FormDialog>
  )
}

/** Browsers in which a sign-in needs no code. */
export const TrustedDevices = () => {
  const { people, secondFactor: texts } = useTexts()
  const [renamed, setRenamed] = useState<Device | null>(null)
  const list = useQuery({ queryKey: key, queryFn: () => unwrap(api.GET("/api/v1/auth/mfa/trusted-devices")) })
  const trust = useAction(key, () => unwrap(api.POST("/api/v1/auth/mfa/trusted-devices")))
  const revoke = useAction(
    key,
    (device_id: string) =>
      unwrap(api.POST("/api/v1/auth/mfa/trusted-devices/{device_id}/revoke", { params: { path: { device_id } } }))
  )
  const devices = list.data?.filter(({ revoked_at }) => revoked_at === null) ?? []
  return (
    <div className="mx-4">
      <Panel
        title={texts.devices}
        actions={list.data !== undefined && !devices.some(({ is_current }) => is_current) && (
          <Button
            disabled={trust.isPending}
            onClick={() => trust.mutate()}
          >
            {texts.trustThis}
          </Button>
        )}
      >
        <ListFrame
          list={list}
          isEmpty={devices.length === 0}
          empty={<p className="max-w-[72ch] px-4 py-3 text-soft">{texts.noDevices}</p>}
        >
          <ul aria-label={texts.devices}>
            {devices.map((device) => {
              const name = nameOfUserAgent(device.label)
              return (
                <li
                  key={device.id}
                  className="flex flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-line px-4 py-1 last:border-0"
                >
                  <span className="font-medium">{name}</span>
                  {device.is_current && <span className="text-soft">({texts.thisBrowser})</span>}
                  <span className="text-soft">
                    {texts.lastSeen} <Time at={device.last_seen_at} />
                  </span>
                  <span className="text-soft">
                    {texts.expires} <Time isPlanned at={device.expires_at} />
                  </span>
                  <span className="ml-auto flex">
                    <Button variant="quiet" aria-label={`${texts.rename}: ${name}`} onClick={() => setRenamed(device)}>
                      {texts.rename}
                    </Button>
                    <Button
                      variant="quiet"
                      aria-label={`${people.revoke}: ${name}`}
                      disabled={revoke.isPending}
                      onClick={() => revoke.mutate(device.id)}
                    >
                      {people.revoke}
                    </Button>
                  </span>
                </li>
              )
            })}
          </ul>
        </ListFrame>
      </Panel>
      {renamed !== null && <RenameForm device={renamed} onClose={() => setRenamed(null)} />}
    </div>
  )
}
