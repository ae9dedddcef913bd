import { Icon } from '../../../../pieces/icon.js'
import { Section } from '../../../../pieces/page.js'
import { Link } from '../../../../pieces/router.js'
import type { AccountFacts } from './account-facts.js'

interface Step {
  readonly href: string
  readonly name: string
  readonly why: string
  /** Null for what the caller may not do. */
  readonly isDone: boolean | null
}

/** What is left to do with a new account; nothing once all of it is done. */
export function SetUp({ facts }: { readonly facts: AccountFacts }) {
  const steps = stepsIn(facts).filter(({ isDone }) => isDone !== null)
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  return (
    <Section title="Get started">
      <p className="lead">
        {done} of {steps.length} done
      </p>
      <ul className="set-up">
        {steps.map(({ href, name, why, isDone }) => (
          <li key={href} className={isDone ? 'done' : ''}>
            <span className="step-mark">{isDone && <Icon name="check" />}</span>
            <span>
              {isDone ? name : <Link href={href}>{name}</Link>}
              <small>{isDone ? 'Done' : why}</small>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function stepsIn({ hasSecondFactor, team, satellites, hasPlan }: AccountFacts): readonly Step[] {
  return [
    {
      href: '/account/security',
      name: 'Set up a second factor',
      why: 'A passkey or an authenticator app keeps out whoever learns your password.',
      isDone: hasSecondFactor,
    },
    {
      href: '/account/team',
      name: 'Invite a colleague',
      why: 'Give each person the permissions that they need, and no others.',
      isDone: team && team.people + team.invited > 1,
    },
    {
      href: '/account/satellites',
      name: 'Add a satellite',
      why: 'Your team logs in to your own sites with the same account.',
      isDone: satellites && satellites.all > 0,
    },
    {
      href: '/account/billing',
      name: 'Choose a plan',
      why: 'You see the price before you pay.',
      isDone: hasPlan,
    },
  ]
}
