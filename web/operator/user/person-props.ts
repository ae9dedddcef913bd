import type { Person } from '../answers.js'

/** What a part of the page of a user takes. */
export interface PersonProps {
  readonly person: Person
  readonly reload: () => Promise<void>
}
