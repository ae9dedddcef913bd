import type { Caller } from '@mainstay-auth/client'
import { useState } from 'react'
import { SearchField } from '../../../pieces/controls.js'
import { Dialog } from '../../../pieces/dialog.js'
import { ActionButton, EmailField, Form, useAction } from '../../../pieces/forms.js'
import { Icon } from '../../../pieces/icon.js'
import { ChoiceField, choose, PageLinks, StateFilter, usePage } from '../../../pieces/lists.js'
import { type Load, Loaded, LoadedTogether, useLoad } from '../../../pieces/loading.js'
import { Failure, Hint, toast } from '../../../pieces/notices.js'
import { Badge, Empty, Page, Section } from '../../../pieces/page.js'
import { Avatar, PERMISSIONS, permissionName } from '../../../pieces/people.js'
import { Link, usePlace } from '../../../pieces/router.js'
import { hostOf } from '../../../pieces/site.js'
import { seatWords } from '../../../pieces/subscription.js'
import { t } from '../../../pieces/t.js'
import { breakable, T } from '../../../pieces/text.js'
import { Ago, Day, When } from '../../../pieces/time.js'
import { call, type Invitation, type Person } from '../../api.js'
import { readOwnSubscription, readPlans } from '../../checkout.js'
import {
  NEW_MEMBER,
  NewMembersSatellites,
  PermissionBoxes,
  PermissionChips,
  permissionsIn,
  satellitesIn,
} from './member-access.js'

interface TeamPart {
  readonly rows: readonly Person[]
  readonly next: string | null
  /** How many users the account has, whatever the filter. */
  readonly total: number
}

/** The service counts no further. */
const MOST_COUNTED = 50_000

/** All users of the account, or those who are invited. */
export function TeamPage({ caller }: { readonly caller: Caller }) {
  const { query } = usePlace()
  const list = usePage(async (asked): Promise<TeamPart> => {
    const { users: rows, ...part } = await call<{ users: Person[]; next: string | null; total: number }>(
      'GET',
      `team?${asked}`,
    )
    return { rows, ...part }
  }, filterIn(query))
  const open = useLoad(() => call<{ invitations: Invitation[] }>('GET', 'team/invitations'))
  const seats = useSeatWords()
  const invited = async (email: string) => {
    toast(t('team.invited', { email }))
    await open.reload()
  }
  const count = open.data?.invitations.length
  return (
    <Page
      title={t('team.title')}
      lead={t('team.lead')}
      actions={<InviteButton caller={caller} invited={invited} seats={seats} />}
    >
      <LoadedTogether of={[list, open, seats]}>
        <SeatNotice words={seats} />
        <StateFilter
          name="list"
          states={[
            ['', t('team.members')],
            ['invitations', count === undefined ? t('invitations.title') : t('team.invitations', { count })],
          ]}
        />
        {query.get('list') === 'invitations' ? <OpenInvitations open={open} /> : <Members list={list} />}
      </LoadedTogether>
    </Page>
  )
}

/** The service's filter for the page's address. */
function filterIn(query: URLSearchParams): Record<string, string> {
  const only = query.get('only')
  return {
    sort: sortIn(query),
    ...Object.fromEntries([...query].filter(([name]) => ['q', 'role', 'permission'].includes(name))),
    ...(only === 'unprotected' && { hasSecondFactor: 'false' }),
    ...(only === 'disabled' && { isDisabled: 'true' }),
  }
}

/** The service's names for orders; a minus means that it begins with the last. */
const SORTS = ['name', '-name', '-lastLogin', 'lastLogin', '-joined', 'joined'] as const
type Sort = (typeof SORTS)[number]
const USUAL_SORT: Sort = 'name'

function sortIn(query: URLSearchParams): Sort {
  return SORTS.find(sort => sort === query.get('sort')) ?? USUAL_SORT
}

function Members({ list }: { readonly list: ReturnType<typeof usePage<TeamPart>> }) {
  const { query } = usePlace()
  const isFiltered = ['q', 'role', 'permission', 'only'].some(name => query.has(name))
  const total = list.data?.total
  return (
    <Section
      title={
        total === undefined
          ? t('team.members')
          : t(total < MOST_COUNTED ? 'team.count' : 'team.countMost', { total })
      }
      actions={
        <SearchField
          label={t('team.search')}
          initial={query.get('q') ?? ''}
          search={text => choose('q', text)}
        />
      }
    >
      <div className="toolbar filters">
        <ChoiceField name="role" label={t('role.title')}>
          <option value="">{t('team.anyRole')}</option>
          <option value="owner">{t('role.owner')}</option>
          <option value="member">{t('role.member')}</option>
        </ChoiceField>
        <ChoiceField name="permission" label={t('team.permission')}>
          <option value="">{t('team.anyPermission')}</option>
          {PERMISSIONS.map(name => (
            <option key={name} value={name}>
              {permissionName(name)}
            </option>
          ))}
        </ChoiceField>
        <ChoiceField name="only" label={t('audit.show')}>
          <option value="">{t('team.everybody')}</option>
          <option value="unprotected">{t('team.unprotected')}</option>
          <option value="disabled">{t('team.disabled')}</option>
        </ChoiceField>
        <label className="narrow">
          {t('team.sortBy')}
          <select value={sortIn(query)} onChange={event => sortBy(event.target.value)}>
            {SORTS.map(sort => (
              <option key={sort} value={sort}>
                {t(`team.sort.${sort}`)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Loaded of={list} shape="rows">
        {({ rows }) => <PeopleTable people={rows} isFiltered={isFiltered} isStale={list.isStale} />}
      </Loaded>
      <PageLinks of={list} />
    </Section>
  )
}

function sortBy(sort: string): void {
  choose('sort', sort === USUAL_SORT ? '' : sort)
}

/** Asks who to invite, and to what. */
function InviteButton({
  caller,
  invited,
  seats,
}: {
  readonly caller: Caller
  readonly invited: (email: string) => Promise<void>
  readonly seats: Load<readonly string[]>
}) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  const invite = async ({ email = '' }: Readonly<Record<string, string>>, form: HTMLFormElement) => {
    const permissions = permissionsIn(form)
    await call('POST', 'team/invitations', { email, permissions, satellites: satellitesIn(form) })
    close()
    await invited(email)
  }
  return (
    <>
      <button type="button" className="primary" onClick={() => setIsOpen(true)}>
        {t('invite.button')}
      </button>
      {isOpen && (
        <Dialog title={t('invite.title')} onCancel={close}>
          <Form submit={t('invite.submit')} send={invite}>
            <SeatNotice words={seats} />
            <EmailField label={t('invite.email')} autoComplete="off" autoFocus />
            <PermissionBoxes given={NEW_MEMBER} mayGive={caller.permissions} />
            <NewMembersSatellites />
          </Form>
        </Dialog>
      )}
    </>
  )
}

/** What another person in the team costs, and how many there may be. Nothing without an answer: inviting works all the same. */
function useSeatWords(): Load<readonly string[]> {
  return useLoad(async () => {
    const [subscription, plans] = await Promise.all([
      readOwnSubscription().catch(() => null),
      readPlans().catch(() => []),
    ])
    return subscription ? seatWords(subscription, plans) : []
  })
}

function SeatNotice({ words }: { readonly words: Load<readonly string[]> }) {
  return words.data?.length ? <Hint>{words.data.join(' ')}</Hint> : null
}

/** More would make a row taller than the others. */
const MOST_SITES = 2

function PeopleTable({
  people,
  isFiltered,
  isStale,
}: {
  readonly people: readonly Person[]
  readonly isFiltered: boolean
  /** Whether others are on their way. */
  readonly isStale: boolean
}) {
  if (people.length === 0)
    return <Empty icon="team">{isFiltered ? t('team.noMatch') : t('team.nobody')}</Empty>
  return (
    <table className="people" aria-busy={isStale}>
      <thead>
        <tr>
          <SortedHeading up="name" down="-name" isUpFirst>
            {t('member.person')}
          </SortedHeading>
          <th>{t('role.title')}</th>
          <th>{t('permission.title')}</th>
          <th>{t('team.sites')}</th>
          <SortedHeading up="lastLogin" down="-lastLogin">
            {t('member.lastLogin')}
          </SortedHeading>
          <SortedHeading up="joined" down="-joined">
            {t('team.joined')}
          </SortedHeading>
        </tr>
      </thead>
      <tbody>
        {people.map(person => (
          <PersonRow key={person.userId} person={person} />
        ))}
      </tbody>
    </table>
  )
}

/** A heading whose button sorts by its column, and then the other way round. */
function SortedHeading({
  up,
  down,
  isUpFirst = false,
  children,
}: {
  readonly up: Sort
  readonly down: Sort
  readonly isUpFirst?: boolean
  readonly children: string
}) {
  const sort = sortIn(usePlace().query)
  const [first, second] = isUpFirst ? [up, down] : [down, up]
  const directions = { [up]: 'ascending', [down]: 'descending' } as const
  const direction = directions[sort]
  const icons = { ascending: 'up', descending: 'down', none: 'choose' } as const
  return (
    <th aria-sort={direction}>
      <button type="button" className="sort" onClick={() => sortBy(sort === first ? second : first)}>
        {children}
        <Icon name={icons[direction ?? 'none']} />
      </button>
    </th>
  )
}

function PersonRow({ person }: { readonly person: Person }) {
  const { userId, email, name, role, permissions, satellites, lastLoginAt, createdAt } = person
  return (
    <tr>
      <td className="whole">
        <span className="someone">
          <Avatar name={name ?? email} />
          <span>
            <Link href={`/account/team/${userId}`}>{breakable(name ?? email)}</Link>
            {name && <small>{breakable(email)}</small>}
            <Standing person={person} />
          </span>
        </span>
      </td>
      <td data-name={t('role.title')}>{role === 'owner' ? t('role.owner') : t('role.member')}</td>
      <td data-name={t('permission.title')}>
        <PermissionChips permissions={permissions} />
      </td>
      <td data-name={t('team.sites')}>
        <Sites satellites={satellites} />
      </td>
      <td data-name={t('member.lastLogin')}>{lastLoginAt ? <Ago at={lastLoginAt} /> : t('member.never')}</td>
      <td data-name={t('team.joined')}>
        <Day at={createdAt} style="medium" />
      </td>
    </tr>
  )
}

/** Anything unusual about their login. */
function Standing({ person: { isDisabled, hasSecondFactor, mustEnrol } }: { readonly person: Person }) {
  if (!isDisabled && !hasSecondFactor && !mustEnrol) return null
  return (
    <span className="tags">
      {isDisabled && <span className="tag bad">{t('team.disabled')}</span>}
      {mustEnrol && <span className="tag warn">{t('team.mustEnrol')}</span>}
      {hasSecondFactor && <span className="tag good">{t('factor.tag')}</span>}
    </span>
  )
}

/** Origins in words; null means all. */
function Sites({ satellites }: { readonly satellites: readonly string[] | null }) {
  if (satellites === null) return t('team.everywhere')
  if (satellites.length === 0) return <span className="absent">{t('team.none')}</span>
  const hosts = satellites.map(hostOf)
  if (hosts.length > MOST_SITES)
    return <span title={hosts.join(', ')}>{t('team.siteCount', { length: hosts.length })}</span>
  return hosts.map(host => <div key={host}>{host}</div>)
}

/** Who is invited, to what, and what can be done about it. */
function OpenInvitations({ open }: { readonly open: Load<{ invitations: Invitation[] }> }) {
  const changed = async (text: string) => {
    toast(text)
    await open.reload()
  }
  return (
    <Section title={t('invitations.title')}>
      <Loaded of={open} shape="rows">
        {({ invitations }) =>
          invitations.length === 0 ? (
            <Empty icon="mail">{t('invitations.none')}</Empty>
          ) : (
            <ul className="rows">
              {invitations.map(invitation => (
                <InvitationRow key={invitation.email} invitation={invitation} changed={changed} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

function InvitationRow({
  invitation: { id, email, expiresAt, permissions, satellites },
  changed,
}: {
  readonly invitation: Invitation
  readonly changed: (news: string) => Promise<void>
}) {
  const path = `team/invitations/${id}`
  const withdraw = useAction(async () => {
    await call('DELETE', path)
    await changed(t('invitations.withdrawn', { email }))
  })
  const resend = useAction(async () => {
    await call('POST', `${path}/resend`)
    await changed(t('invitations.sentAgain', { email }))
  })
  return (
    <li>
      <div className="with-badge">
        <Badge icon="mail" />
        <div>
          <strong>{breakable(email)}</strong>
          <small>
            <T id="invitations.until" date={<When at={expiresAt} />} />
          </small>
          <small>
            <Sites satellites={satellites} />
          </small>
          <PermissionChips permissions={permissions} />
        </div>
      </div>
      <span className="tags">
        <ActionButton action={resend} label={t('invitations.resendNamed', { email })}>
          {t('invitations.resend')}
        </ActionButton>
        <ActionButton action={withdraw} label={t('invitations.withdrawNamed', { email })}>
          {t('invitations.withdraw')}
        </ActionButton>
      </span>
      <Failure error={withdraw.error ?? resend.error} />
    </li>
  )
}
