import { Redacted } from "effect"
import { randomUUID } from "node:crypto"
import type { CreateApiKey } from "../../src/domain/identity/ApiKey.ts"
import type { CreateInvitation } from "../../src/domain/identity/Invitation.ts"
import type { CreateUser } from "../../src/domain/identity/User.ts"
import type { CreateProject } from "../../src/domain/kernel/Project.ts"
import type { PreviewRequest } from "../../src/domain/schedules/Schedule/Preview.ts"
import { password } from "./people.ts"

/*
 * A valid payload for each call of the derived client that has fields with defaults. A test gives the fields that it is
 * about.
 */

export const newUser = (fields: Partial<CreateUser> = {}): CreateUser => ({
  email: `person-${randomUUID()}@example.com`,
  first_name: null,
  last_name: null,
  display_name: null,
  password: Redacted.make(password),
  is_admin: false,
  timezone: "UTC",
  ...fields
})

export const newProject = (fields: Partial<CreateProject> = {}): CreateProject => ({
  slug: `new-${randomUUID()}`,
  name: "New",
  description: null,
  environment: "production",
  timezone: "UTC",
  default_scheduler_owner: "svc-scheduler",
  allowed_schedulers: null,
  ...fields
})

export const newApiKey = (fields: Partial<CreateApiKey> = {}): CreateApiKey => ({
  name: "script",
  scopes: [],
  project_id: null,
  expires_in_days: null,
  allowed_cidrs: null,
  ...fields
})

export const newInvitation = (fields: Partial<CreateInvitation> = {}): CreateInvitation => ({
  email: `guest-${randomUUID()}@example.com`,
  role: "viewer",
  ttl_days: 7,
  ...fields
})

export const newPreview = (fields: Partial<PreviewRequest> = {}): PreviewRequest => ({
  kind: "cron",
  expression: "30 2 * * *",
  timezone: "Europe/Berlin",
  from: null,
  count: 10,
  jitter_seconds: 0,
  outage: null,
  engine: null,
  queue: null,
  ...fields
})
