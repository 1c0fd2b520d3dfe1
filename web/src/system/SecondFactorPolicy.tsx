import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { factorQuery } from "../secondFactor/secondFactor.ts"
import { Button, buttonClass } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Panel } from "../ui/Panel.tsx"

const key = ["mfa-policy"]

/** Who must have a second factor. A global admin who has one may require it of everyone. */
export const SecondFactorPolicy = () => {
  const { system: { secondFactor: texts } } = useTexts()
  const format = useFormat()
  const queries = useQueryClient()
  const query = useQuery({ queryKey: key, queryFn: () => unwrap(api.GET("/api/v1/admin/mfa-policy")) })
  const own = useQuery(factorQuery)
  const [isAsking, setAsking] = useState(false)
  const policy = query.data
  const isRequired = policy?.required_for_all === true
  const without = policy === undefined ? "" : texts.without(format.count(policy.active_users_without))
  const deadline = policy === undefined ? "" : texts.deadline(format.count(policy.grace_days))
  const lacksOwn = own.data?.enrolled === false && !isRequired
  return (
    <div className="mx-4">
      <Panel
        title={texts.title}
        actions={policy?.required_by_setting === false && !lacksOwn && (
          <Button onClick={() => setAsking(true)}>{isRequired ? texts.relax : texts.require}</Button>
        )}
      >
        <ListFrame list={query} isEmpty={false} empty={null}>
          {policy !== undefined && (
            <div className="grid max-w-[80ch] justify-items-start gap-1 px-4 py-3">
              <p className="font-medium">
                {isRequired ? texts.all : policy.required_for_admins ? texts.admins : texts.none}
              </p>
              <p className="text-soft">
                {[policy.required_by_setting && texts.bySetting, without, isRequired && deadline].filter(Boolean).join(
                  " "
                )}
              </p>
              {lacksOwn && (
                <>
                  <p>{texts.ownFirst}</p>
                  <Link to="/account" search={{ tab: "security" }} className={buttonClass()}>{texts.setUp}</Link>
                </>
              )}
            </div>
          )}
        </ListFrame>
      </Panel>
      {isAsking && (
        <FormDialog
          title={isRequired ? texts.relaxTitle : texts.requireTitle}
          submit={isRequired ? texts.relax : texts.require}
          onClose={() => setAsking(false)}
          onSubmit={async () => {
            const body = { required_for_all: !isRequired }
            queries.setQueryData(key, await unwrap(api.PATCH("/api/v1/admin/mfa-policy", { body })))
          }}
        >
          <p className="text-soft">{isRequired ? without : `${without} ${deadline}`}</p>
        </FormDialog>
      )}
    </div>
  )
}
