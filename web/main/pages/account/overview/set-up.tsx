import type { Permissions } from '@mainstay-auth/client'
import { Icon } from '../../../../pieces/icon.js'
import { Section } from '../../../../pieces/page.js'
import { Link } from '../../../../pieces/router.js'
import { useLoad } from '../../../../pieces/use-load.js'
import { stepsFor } from './set-up-steps.js'

/** What is left to do with a new account; nothing once all of it is done, and while nobody knows. */
export function SetUp({ permissions }: { readonly permissions: Permissions }) {
  const steps = useLoad(() => stepsFor(permissions)).data
  if (!steps || steps.every(({ isDone }) => isDone)) return null
  const done = steps.filter(({ isDone }) => isDone).length
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
