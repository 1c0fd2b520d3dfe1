import { Context } from "effect"

/** The names of all tables that the migrations create, in either database, `schema_migrations` among them; sorted. */
export class SchemaTables extends Context.Tag("svc/SchemaTables")<SchemaTables, ReadonlyArray<string>>() {}
