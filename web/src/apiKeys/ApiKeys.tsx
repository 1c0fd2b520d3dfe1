import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, base, type Schemas, unwrap } from "../api/client.ts"
import { useNow } from "../format/now.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { fieldText, TextAreaField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { parseLines } from "../ui/lines.ts"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { CopyLine, ShownOnce } from "../ui/ShownOnce.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { CreateKeyForm } from "./CreateKeyForm.tsx"
import { keysQuery, statusOf } from "./keys.ts"
import { examplePath } from "./scopes.ts"

type Key = Schemas["ApiKey"]

const AddressesForm = ({ onClose, shown }: { readonly shown: Key; readonly onClose: () => void }) => {
  const { apiKeys: texts, forms } = useTexts()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.addressesOf(shown.name)}
      submit={forms.save}
      onClose={onClose}
      onSubmit={async (form) => {
        const addresses = parseLines(fieldText(form, "addresses"))
        await unwrap(api.PATCH("/api/v1/api-keys/{key_id}", {
          params: { path: { key_id: shown.id } },
          body: { allowed_cidrs: addresses }
        }))
        await queries.invalidateQueries(keysQuery)
      }}
    >
      <TextAreaField
        label={texts.addresses}
        hint={texts.addressesHint}
        name="addresses"
        defaultValue={shown.allowed_cidrs?.join("\n")}
        data-autofocus
      />
    </FormDialog>
  )
}

const RevokeQuestion = ({ onClose, shown }: { readonly shown: Key; readonly onClose: () => void }) => {
  const { apiKeys: texts, people } = useTexts()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.revokeTitle(shown.name)}
      submit={people.revoke}
      variant="danger"
      onClose={onClose}
      onSubmit={async () => {
        await unwrap(api.DELETE("/api/v1/api-keys/{key_id}", { params: { path: { key_id: shown.id } } }))
        await queries.invalidateQueries(keysQuery)
      }}
    >
      <p className="text-soft">{texts.revokeHint}</p>
    </FormDialog>
  )
}

const Name = ({ shown: { allowed_cidrs, name, prefix, scopes } }: { readonly shown: Key }) => {
  const { apiKeys: texts } = useTexts()
  return (
    <span className="grid">
      <span className="flex flex-wrap gap-x-2">
        <span className="font-medium">{name}</span>
        <code className="font-mono text-small text-soft">{prefix}…</code>
      </span>
      <span className="font-mono text-small break-words text-soft">
        {scopes.length === 0 ? texts.noScopes : scopes.join(" ")}
      </span>
      {allowed_cidrs !== null && (
        <span className="text-small text-soft">
          {`${texts.addresses}: `}
          <code className="font-mono">{allowed_cidrs.join(" ")}</code>
        </span>
      )}
    </span>
  )
}

/** Keys of the person for programs: what each may do and where, when it was used, and how to make and revoke one. */
export const ApiKeys = () => {
  const { apiKeys: texts, people } = useTexts()
  const now = useNow()
  const list = useQuery(keysQuery)
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<Schemas["CreatedApiKey"] | null>(null)
  const [limiting, setLimiting] = useState<Key | null>(null)
  const [revoking, setRevoking] = useState<Key | null>(null)
  const isEmpty = list.data?.length === 0
  const createButton = <Button variant="primary" onClick={() => setCreating(true)}>{texts.create}</Button>
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-4 pb-3">
        <p className="max-w-[72ch] text-soft">{texts.hint}</p>
        {!isEmpty && <div className="ml-auto">{createButton}</div>}
      </div>
      <ListFrame
        list={list}
        isEmpty={isEmpty}
        empty={<EmptyState title={texts.none} hint={texts.noneHint}>{createButton}</EmptyState>}
      >
        <Table
          label={texts.title}
          rows={list.data ?? []}
          rowKey={({ id }) => id}
          columns={[
            { title: texts.name, cell: (key) => <Name shown={key} /> },
            {
              title: texts.project,
              isMinor: true,
              cell: ({ project_slug }) => <span className="whitespace-nowrap">{project_slug ?? texts.allProjects}</span>
            },
            { title: people.status, cell: (key) => texts.statuses[statusOf(key, now)] },
            {
              title: texts.lastUsed,
              isNumber: true,
              isMinor: true,
              cell: ({ last_used_at, last_used_ip }) =>
                last_used_at === null
                  ? texts.never
                  : (
                    <span title={last_used_ip ?? undefined}>
                      <Time at={last_used_at} />
                    </span>
                  )
            },
            {
              title: people.expires,
              isNumber: true,
              isMinor: true,
              cell: ({ expires_at }) => (expires_at === null ? texts.never : <Time isPlanned at={expires_at} />)
            },
            {
              title: people.actions,
              isNumber: true,
              cell: (key) =>
                statusOf(key, now) === "active" && (
                  <span className="flex justify-end max-md:grid">
                    <Button variant="quiet" aria-label={texts.addressesOf(key.name)} onClick={() => setLimiting(key)}>
                      {texts.addresses}
                    </Button>
                    <Button variant="quiet" aria-label={texts.revokeTitle(key.name)} onClick={() => setRevoking(key)}>
                      {people.revoke}
                    </Button>
                  </span>
                )
            }
          ]}
        />
      </ListFrame>
      {isCreating && <CreateKeyForm onCreated={setCreated} onClose={() => setCreating(false)} />}
      {limiting !== null && <AddressesForm shown={limiting} onClose={() => setLimiting(null)} />}
      {revoking !== null && <RevokeQuestion shown={revoking} onClose={() => setRevoking(null)} />}
      {created !== null && !isCreating && (
        <ShownOnce
          title={texts.createdTitle(created.name)}
          onClose={() => setCreated(null)}
        >
          <p>{texts.tokenHint}</p>
          <CopyLine label={texts.token} text={created.token} />
          <CopyLine
            label={texts.tryIt}
            text={`curl -H 'Authorization: Bearer ${created.token}' ${base}/api/v1${examplePath(created.scopes)}`}
          />
        </ShownOnce>
      )}
    </>
  )
}
