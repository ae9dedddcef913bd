import { useState } from 'react'
import type { Caller } from '../../../../client/index.js'
import { ActionRow } from '../../../pieces/action-row.js'
import { ActionButton } from '../../../pieces/button.js'
import { EmailField } from '../../../pieces/field.js'
import { Form } from '../../../pieces/form.js'
import { Failure, Success } from '../../../pieces/notice.js'
import { Page, Section } from '../../../pieces/page.js'
import { Link } from '../../../pieces/router.js'
import { useAction } from '../../../pieces/use-action.js'
import { type Load, useLoad } from '../../../pieces/use-load.js'
import { Loaded } from '../../../pieces/waiting.js'
import { When } from '../../../pieces/when.js'
import type { Invitation, Person } from '../../answers.js'
import { call } from '../../api.js'
import { NEW_MEMBER, PermissionBoxes, permissionsIn } from './permission-boxes.js'
import { SatelliteBoxes, satellitesIn } from './satellite-boxes.js'
import { usePages } from './use-pages.js'

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
              <p>Nobody is invited at the moment.</p>
            ) : (
              <ul className="rows">
                {invitations.map(invitation => (
                  <OpenInvitation key={invitation.id} invitation={invitation} reload={open.reload} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <Section title="Invite somebody">
        <Invite caller={caller} open={open} />
      </Section>
    </Page>
  )
}

function People({ users }: { readonly users: readonly Person[] }) {
  return (
    <ul className="rows">
      {users.map(({ userId, email, name, role, isDisabled }) => (
        <li key={userId}>
          <div>
            <Link href={`/account/team/${userId}`}>{name ?? email}</Link>
            {name && <small>{email}</small>}
          </div>
          <span className="tags">
            <span className="tag">{role === 'owner' ? 'Owner' : 'Member'}</span>
            {isDisabled && <span className="tag bad">Disabled</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}

function OpenInvitation({
  invitation: { id, email, expiresAt },
  reload,
}: {
  readonly invitation: Invitation
  readonly reload: () => Promise<void>
}) {
  const withdraw = useAction(() => call('DELETE', `team/invitations/${id}`).then(reload))
  return (
    <li>
      <div>
        {email}
        <small>
          good until <When at={expiresAt} />
        </small>
        <Failure error={withdraw.error} />
      </div>
      <ActionButton action={withdraw} label={`Withdraw the invitation of ${email}`}>
        Withdraw
      </ActionButton>
    </li>
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
  const invite = async (texts: Readonly<Record<string, string>>, form: HTMLFormElement) => {
    setSentTo('')
    const { email = '' } = texts
    await call('POST', 'team/invitations', {
      email,
      permissions: permissionsIn(form),
      satellites: satellitesIn(form),
    })
    form.reset()
    setSentTo(email)
    await open.reload()
  }
  return (
    <Form submit="Send the invitation" send={invite}>
      {sentTo && <Success>An invitation to {sentTo} is on its way.</Success>}
      <EmailField label="E-mail of the new member" autoComplete="off" />
      <PermissionBoxes given={NEW_MEMBER} mayGive={caller.permissions} />
      <SatelliteBoxes chosen={null} />
    </Form>
  )
}
