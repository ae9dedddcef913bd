import type { Caller } from '@mainstay-auth/client'
import { useState } from 'react'
import { ActionRow } from '../../../../pieces/forms/action-row.js'
import { EmailField } from '../../../../pieces/forms/field.js'
import { Form } from '../../../../pieces/forms/form.js'
import { Success } from '../../../../pieces/notice.js'
import { Page, Section } from '../../../../pieces/page.js'
import { Link } from '../../../../pieces/router.js'
import { type Load, useLoad } from '../../../../pieces/use-load.js'
import { Loaded } from '../../../../pieces/waiting.js'
import type { Invitation, Person } from '../../../answers.js'
import { call } from '../../../api.js'
import { usePages } from '../audit/use-pages.js'
import { OpenInvitation } from './open-invitation.js'
import { NEW_MEMBER, PermissionBoxes, permissionsIn } from './permission-boxes.js'
import { SatelliteBoxes, satellitesIn } from './satellite-boxes.js'

export function TeamPage({ caller }: { readonly caller: Caller }) {
  const { list, more } = usePages(async after => {
    const path = after ? `team?after=${encodeURIComponent(after)}` : 'team'
    const { users, next } = await call<{ users: Person[]; next: string | null }>('GET', path)
    return { rows: users, next }
  })
  const open = useLoad(() => call<{ invitations: Invitation[] }>('GET', 'team/invitations'))
  return (
    <Page title="Team">
      <Section title="People">
        <Loaded of={list}>{({ rows }) => <People users={rows} />}</Loaded>
        {more && <ActionRow action={more}>Show more</ActionRow>}
      </Section>
      <Section title="Open invitations">
        <Loaded of={open}>
          {({ invitations }) =>
            invitations.length === 0 ? (
              <p>There are no open invitations.</p>
            ) : (
              <ul className="rows">
                {invitations.map(invitation => (
                  <OpenInvitation key={invitation.email} invitation={invitation} reload={open.reload} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <Section title="Invite a member">
        <Invite caller={caller} open={open} />
      </Section>
    </Page>
  )
}

function People({ users }: { readonly users: readonly Person[] }) {
  return (
    <ul className="rows">
      {users.map(({ userId, email, name, role, isDisabled, hasSecondFactor, mustEnrol }) => (
        <li key={userId}>
          <div>
            <Link href={`/account/team/${userId}`}>{name ?? email}</Link>
            {name && <small>{email}</small>}
          </div>
          <span className="tags">
            <span className="tag">{role === 'owner' ? 'Owner' : 'Member'}</span>
            {hasSecondFactor && <span className="tag good">Second factor</span>}
            {mustEnrol && <span className="tag warn">Must set up a second factor</span>}
            {isDisabled && <span className="tag bad">Disabled</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Invite({
  caller,
  open,
}: {
  readonly caller: Caller
  readonly open: Load<{ invitations: Invitation[] }>
}) {
  const [sentTo, setSentTo] = useState('')
  const [count, setCount] = useState(0)
  const invite = async (texts: Readonly<Record<string, string>>, form: HTMLFormElement) => {
    setSentTo('')
    const { email = '' } = texts
    await call('POST', 'team/invitations', {
      email,
      permissions: permissionsIn(form),
      satellites: satellitesIn(form),
    })
    setSentTo(email)
    // The next one begins with the same empty form as the first; a reset leaves what React holds as it was.
    setCount(count + 1)
    await open.reload()
  }
  return (
    <Form key={count} submit="Send invitation" send={invite}>
      {sentTo && <Success>An invitation to {sentTo} is on its way.</Success>}
      <EmailField label="E-mail of the new member" autoComplete="off" />
      <PermissionBoxes given={NEW_MEMBER} mayGive={caller.permissions} />
      <SatelliteBoxes chosen={null} />
    </Form>
  )
}
