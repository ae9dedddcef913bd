import { Fact } from '../../../../pieces/fact.js'
import { Section } from '../../../../pieces/page.js'
import { Link } from '../../../../pieces/router.js'
import type { AccountFacts } from './account-facts.js'

/** How big the account is, for who manages some of it. */
export function AccountCard({ facts: { team, satellites } }: { readonly facts: AccountFacts }) {
  if (!team && !satellites) return null
  return (
    <Section title="Account">
      <dl>
        {team && (
          <Fact name="Team">
            <Link href="/account/team">{peopleText(team)}</Link>
          </Fact>
        )}
        {satellites && (
          <Fact name="Satellites">
            <Link href="/account/satellites">
              {satellites.all === 0 ? 'None yet' : `${satellites.active} of ${satellites.all} active`}
            </Link>
          </Fact>
        )}
      </dl>
    </Section>
  )
}

function peopleText({ people, hasMore, invited }: NonNullable<AccountFacts['team']>): string {
  const count = hasMore ? `More than ${people} people` : people === 1 ? 'Only you' : `${people} people`
  return invited > 0 ? `${count}, ${invited} invited` : count
}
