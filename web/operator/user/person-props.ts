import type { Person } from '../answers.js'

/** The props of each part of a user's page. */
export interface PersonProps {
  readonly person: Person
  readonly reload: () => Promise<void>
}
