import type { Caller } from '@mainstay-auth/client'
import { useState } from 'react'
import { ActionRow } from '../../../../pieces/forms/action-row.js'
import { SearchField } from '../../../../pieces/forms/search-field.js'
import { t } from '../../../../pieces/language/t.js'
import { useLoad } from '../../../../pieces/loading/use-load.js'
import { usePages } from '../../../../pieces/loading/use-pages.js'
import { Loaded, LoadedTogether } from '../../../../pieces/loading/waiting.js'
import { toast } from '../../../../pieces/notices/toasts.js'
import { Page, Section } from '../../../../pieces/page.js'
import type { Invitation, Person } from '../../../answers.js'
import { call } from '../../../api.js'
import { InviteButton } from './invite.js'
import { OpenInvitations } from './open-invitations.js'
import { PeopleTable } from './people-table.js'
import { SeatNotice, useSeatWords } from './seat-notice.js'

/** Everybody in the account, and the people who are invited. */
export function TeamPage({ caller }: { readonly caller: Caller }) {
  const [search, setSearch] = useState('')
  const { list, more } = usePages(async after => {
    const query = new URLSearchParams({ ...(search && { q: search }), ...(after && { after }) })
    const { users, next } = await call<{ users: Person[]; next: string | null }>('GET', `team?${query}`)
    return { rows: users, next }
  }, search)
  const open = useLoad(() => call<{ invitations: Invitation[] }>('GET', 'team/invitations'))
  const seats = useSeatWords()
  const invited = async (email: string) => {
    toast(t('team.invited', { email }))
    await open.reload()
  }
  return (
    <Page
      title={t('team.title')}
      lead={t('team.lead')}
      actions={<InviteButton caller={caller} invited={invited} seats={seats} />}
    >
      <LoadedTogether of={[list, open, seats]}>
        <SeatNotice words={seats} />
        <Section
          title={t('team.people')}
          actions={<SearchField label={t('team.search')} search={setSearch} />}
        >
          <Loaded of={list} shape="rows">
            {({ rows }) => <PeopleTable people={rows} isSearch={search !== ''} />}
          </Loaded>
          {more && <ActionRow action={more}>{t('team.more')}</ActionRow>}
        </Section>
        <OpenInvitations open={open} />
      </LoadedTogether>
    </Page>
  )
}
