import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, base, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"
import { useAction } from "../ui/useAction.ts"

type Identity = Schemas["OidcIdentity"]

const key = ["oidc-identities"]

const nameOf = ({ email, subject }: Identity) => email ?? subject

const UnlinkQuestion = ({ identity, onClose }: { readonly identity: Identity; readonly onClose: () => void }) => {
  const { account: texts } = useTexts()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.unlinkTitle(nameOf(identity))}
      submit={texts.unlink}
      variant="danger"
      onClose={onClose}
      onSubmit={async () => {
        await unwrap(api.DELETE("/api/v1/auth/oidc/identities/{identity_id}", {
          params: { path: { identity_id: identity.id } }
        }))
        await queries.invalidateQueries({ queryKey: key })
      }}
    >
      <p className="text-soft">{texts.unlinkHint}</p>
    </FormDialog>
  )
}

/** Accounts of the OpenID provider that sign in as the person. Nothing where no provider is set up and none is linked. */
export const Providers = () => {
  const { account: texts } = useTexts()
  const [unlinking, setUnlinking] = useState<Identity | null>(null)
  const provider = useQuery({ queryKey: ["oidc"], queryFn: () => unwrap(api.GET("/api/v1/auth/oidc")) })
  const list = useQuery({ queryKey: key, queryFn: () => unwrap(api.GET("/api/v1/auth/oidc/identities")) })
  const link = useAction(key, async () => {
    const return_to = `${new URL(base).pathname.replace(/\/$/, "")}/account?tab=security`
    const { authorization_url } = await unwrap(api.POST("/api/v1/auth/oidc/link", { body: { return_to } }))
    location.assign(authorization_url)
  })
  if (provider.data?.enabled !== true && (list.data?.length ?? 0) === 0) return null
  return (
    <div className="mx-4">
      <Panel
        title={texts.providers}
        actions={provider.data?.enabled === true && (
          <Button disabled={link.isPending} onClick={() => link.mutate()}>
            {texts.link(provider.data.provider ?? texts.provider)}
          </Button>
        )}
      >
        <ListFrame
          list={list}
          isEmpty={list.data?.length === 0}
          empty={<p className="max-w-[72ch] px-4 py-3 text-soft">{texts.noProviders}</p>}
        >
          <ul aria-label={texts.providers}>
            {list.data?.map((identity) => (
              <li
                key={identity.id}
                className="flex flex-wrap items-center gap-x-3 border-b border-line px-4 py-1 last:border-0"
              >
                <span className="font-medium">{nameOf(identity)}</span>
                <span className="break-all text-soft">{identity.issuer}</span>
                {identity.last_used_at !== null && (
                  <span className="text-soft">
                    {texts.lastUsed} <Time at={identity.last_used_at} />
                  </span>
                )}
                <Button
                  variant="quiet"
                  className="ml-auto"
                  aria-label={texts.unlinkTitle(nameOf(identity))}
                  onClick={() => setUnlinking(identity)}
                >
                  {texts.unlink}
                </Button>
              </li>
            ))}
          </ul>
        </ListFrame>
      </Panel>
      {unlinking !== null && <UnlinkQuestion identity={unlinking} onClose={() => setUnlinking(null)} />}
    </div>
  )
}
