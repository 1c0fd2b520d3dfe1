import { Layer } from "effect"
import * as DatabaseLayer from "../layers/Database.ts"
import * as Keys from "../layers/Keys.ts"
import { Audit } from "../services/Audit.ts"
import { Projects } from "../services/Projects.ts"
import { ProjectsRepo } from "../services/Projects/Repo.ts"
import { SessionsRepo } from "../services/Sessions/Repo.ts"
import { Setup } from "../services/Setup.ts"
import { SetupRepo } from "../services/Setup/Repo.ts"
import { Users } from "../services/Users.ts"
import { Passwords } from "../services/Users/Passwords.ts"
import { UsersRepo } from "../services/Users/Repo.ts"
import { settings } from "./Settings.ts"

/** Users and the first boot, over the migrated database; none of the brain's loops, which the server runs. */
export const administration = Layer.mergeAll(Setup.layer, Users.layer).pipe(
  Layer.provide(Projects.layer),
  Layer.provide(Layer.mergeAll(Passwords.layer, ProjectsRepo.layer, SessionsRepo.layer, SetupRepo.layer, UsersRepo.layer)),
  Layer.provide(Audit.layer),
  Layer.provide(Keys.layer),
  Layer.provide(DatabaseLayer.layer),
  Layer.provideMerge(settings())
)
