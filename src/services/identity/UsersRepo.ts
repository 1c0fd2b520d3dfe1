import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Schema } from "effect"
import { Me, normalizeEmail, type UpdateUser, UserDetail } from "../../domain/identity/User.ts"
import { UserId } from "../../domain/kernel/Id.ts"
import { selectChanges } from "../../domain/kernel/Patch.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { BooleanColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forUpdate, lockTable } from "../kernel/sql/Dialect.ts"
import { countOf, firstRowOf, hasRows, isLocked, rowsOf } from "../kernel/sql/Rows.ts"

const Row = Schema.Struct({ ...UserDetail.fields, is_admin: BooleanColumn, is_active: BooleanColumn })
const allRows = rowsOf(Row)
const firstRow = firstRowOf(Row)
const encode = Schema.encodeSync(Row)

/** The columns that a login verifies. */
export const LoginCredentials = Schema.Struct({ id: UserId, password_hash: Schema.String })
export type LoginCredentials = typeof LoginCredentials.Type
const credentials = firstRowOf(LoginCredentials)

interface LoginRecord extends LoginCredentials {
  readonly newHash: string
  readonly now: string
  readonly isPlaceKnown: boolean
}

/** The changed fields; empty names become null. */
export const changedFields = (changes: UpdateUser): Partial<UserDetail> => {
  const changed = Object.entries(selectChanges(UserDetail.fields, changes))
  return Object.fromEntries(changed.map(([field, value]) => [field, value === "" ? null : value]))
}

export class UsersRepo extends Effect.Service<UsersRepo>()("svc/UsersRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(Object.keys(Row.fields).join(", "))

    return {
      /** Newest first. */
      list: (limit: number, offset: number) =>
        allRows(read`SELECT ${columns} FROM users ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`),
      findById: (id: UserId) => firstRow(read`SELECT ${columns} FROM users WHERE id = ${id}`),
      findByEmailKey: (key: string) => firstRow(read`SELECT ${columns} FROM users WHERE email_key = ${key}`),
      /** Locks the user's row until the transaction ends. */
      findByIdForUpdate: (id: UserId) => firstRow(sql`SELECT ${columns} FROM users WHERE id = ${id} ${forUpdate(sql)}`),
      listMemberships: (userId: UserId) =>
        rowsOf(Me.fields.memberships.from.value)(
          read`SELECT m.project_id, p.slug AS project_slug, m.role
            FROM memberships m JOIN projects p ON p.id = m.project_id
            WHERE m.user_id = ${userId} ORDER BY p.slug`
        ),
      count: countOf(sql`SELECT count(*) AS n FROM users`),
      /** Prevents new users until the transaction ends. */
      lockAll: lockTable(sql, "users"),
      /** The ids of the active admins, locked until the transaction ends. */
      lockActiveAdmins: Effect.map(
        rowsOf(Schema.Struct({ id: UserId }))(
          sql`SELECT id FROM users WHERE is_admin = 1 AND is_active = 1 ORDER BY id ${forUpdate(sql)}`
        ),
        Arr.map((row) => row.id)
      ),
      insert: (user: UserDetail, email_key: string, password_hash: string) =>
        sql`INSERT INTO users ${sql.insert({ ...encode(user), email_key, password_hash })}`,
      update: (user: UserDetail) => sql`UPDATE users SET ${sql.update(encode(user), ["id"])} WHERE id = ${user.id}`,
      /** Since when the user could approve what waits (`approvalGate/Deciders.ts`). */
      setSince: (
        id: UserId,
        times: { readonly admin_since?: Timestamp; readonly account_since?: Timestamp; readonly vouched_at?: Timestamp }
      ) => sql`UPDATE users SET ${sql.update(times)} WHERE id = ${id}`,
      setEmail: (id: UserId, email: string, now: string) =>
        firstRow(sql`UPDATE users SET email = ${email}, email_key = ${normalizeEmail(email)}, updated_at = ${now}
          WHERE id = ${id} RETURNING ${columns}`),
      delete: (id: UserId) => sql`DELETE FROM users WHERE id = ${id}`,

      findCredentials: (key: string) => credentials(read`SELECT id, password_hash FROM users WHERE email_key = ${key}`),
      findCredentialsById: (id: UserId) => credentials(read`SELECT id, password_hash FROM users WHERE id = ${id}`),
      /** Whether the account is locked for those who come from elsewhere than its own places (`Sessions/LoginPlaces.ts`). */
      isLocked: (id: UserId, now: string) =>
        hasRows(sql`SELECT 1 FROM users WHERE id = ${id} AND locked_until > ${now}`),
      /** Whether the account still has the verified password. */
      hasValidCredentials: ({ id, password_hash }: LoginCredentials) =>
        hasRows(sql`SELECT 1 FROM users WHERE id = ${id} AND password_hash = ${password_hash}`),
      /**
       * Sets the password, unlocks the account, deletes its reset links and revokes its trusted browsers. API keys
       * remain valid; returns how many.
       */
      setPassword: (id: UserId, password_hash: string, now: string) =>
        Effect.zipRight(
          Effect.all([
            sql`UPDATE users SET password_hash = ${password_hash}, failed_logins = 0, locked_until = NULL, updated_at = ${now}
              WHERE id = ${id}`,
            sql`UPDATE login_places SET failed_logins = 0, locked_until = NULL WHERE user_id = ${id}`,
            sql`DELETE FROM password_resets WHERE user_id = ${id}`,
            sql`UPDATE trusted_devices SET revoked_at = ${now} WHERE user_id = ${id} AND revoked_at IS NULL`
          ], { discard: true }),
          countOf(sql`SELECT count(*) AS n FROM api_keys
              WHERE user_id = ${id} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`)
        ),
      /**
       * Counts a wrong password; the `threshold`th since the last success locks until `lockUntil`. While the account is
       * locked, nothing is counted. Returns whether this failure locked it.
       */
      countFailure: (id: UserId, now: string, threshold: number, lockUntil: string) =>
        isLocked(
          sql`UPDATE users SET failed_logins = failed_logins + 1,
              locked_until = CASE WHEN failed_logins + 1 >= ${threshold} THEN ${lockUntil} ELSE NULL END
            WHERE id = ${id} AND (locked_until IS NULL OR locked_until <= ${now})
            RETURNING CASE WHEN locked_until IS NULL THEN 0 ELSE 1 END AS locked`
        ),
      /**
       * Completes a login with the right password: returns the user, unless they are inactive or locked, or their
       * password changed since the comparison. `newHash` replaces the stored hash. From a place that the account knows
       * the lock does not refuse it, and continues for others.
       */
      recordLogin: ({ id, isPlaceKnown, newHash, now, password_hash }: LoginRecord) => {
        const isOpen = sql`(locked_until IS NULL OR locked_until <= ${now})`
        return firstRow(
          sql`UPDATE users SET failed_logins = CASE WHEN ${isOpen} THEN 0 ELSE failed_logins END,
              locked_until = CASE WHEN ${isOpen} THEN NULL ELSE locked_until END,
              last_login_at = ${now}, password_hash = ${newHash}
            WHERE id = ${id} AND is_active = 1 AND password_hash = ${password_hash}
              AND ${isPlaceKnown ? sql.literal("TRUE") : isOpen}
            RETURNING ${columns}`
        )
      },
      /** The same of a login at the sign-in provider, which a lock after wrong passwords does not refuse. */
      recordOidcLogin: (id: UserId, now: string) =>
        firstRow(sql`UPDATE users SET last_login_at = ${now} WHERE id = ${id} AND is_active = 1 RETURNING ${columns}`)
    } as const
  })
}) {
  static readonly layer = this.Default
}
