import { Layer } from "effect"
import * as DatabaseLayer from "../../layers/Database.ts"
import { settings } from "./Settings.ts"

/** The settings, and the database opened read-only: neither created nor migrated. */
export const layerInspection = DatabaseLayer.layerReadOnly.pipe(Layer.provideMerge(settings()))
