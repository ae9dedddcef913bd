import type { ReactNode } from 'react'
import { ActionRow, Field, Form } from '../../pieces/forms.js'
import { Loaded, usePages } from '../../pieces/loading.js'
import { Empty, Page, Section } from '../../pieces/page.js'
import { go, usePlace } from '../../pieces/router.js'
import { ask, type Found, type FoundAccount, type FoundUser } from '../api.js'
import { t } from '../language.js'
import { AccountRow, UserRow } from '../rows.js'
import { Home } from './home.js'

/** The first page. The search is in the address, so that going back restores it. */
export function SearchPage() {
  const { query } = usePlace()
  const text = query.get('q') ?? ''
  return (
    <Page title={text === '' ? t('overview.title') : t('console.search.title')}>
      <search className="console-search">
        <Form
          submit={t('console.search.submit')}
          send={async ({ q = '' }) => go(`/?${new URLSearchParams({ q: q.trim() })}`)}
        >
          <Field
            key={text}
            type="search"
            label={t('console.search.label')}
            placeholder={t('console.search.label')}
            name="q"
            defaultValue={text}
            minLength={2}
            maxLength={254}
            autoComplete="off"
            autoFocus={text === ''}
            hint={t('console.search.hint')}
            required
          />
        </Form>
      </search>
      {text === '' ? <Home /> : <Results key={text} text={text} />}
    </Page>
  )
}

/** The service finds as many of each kind in one step, at most. */
const MAX_RESULTS = 20

/** Later steps look further. */
function Results({ text }: { readonly text: string }) {
  const { list, more } = usePages<{ account?: FoundAccount; user?: FoundUser }>(async after => {
    const asked = new URLSearchParams({ q: text, ...(after && { after }) })
    const { accounts, users, next } = await ask<Found>(`search?${asked}`)
    return { rows: [...accounts.map(account => ({ account })), ...users.map(user => ({ user }))], next }
  }, text)
  return (
    <Loaded of={list} shape="rows">
      {({ rows }) => {
        const accounts = eachOnce(rows.flatMap(({ account }) => account ?? []))
        const users = eachOnce(rows.flatMap(({ user }) => user ?? []))
        return (
          <>
            <FoundRows
              title={t('console.search.accounts')}
              rows={accounts.map(account => <AccountRow key={account.id} account={account} />)}
            />
            <FoundRows
              title={t('console.search.users')}
              rows={users.map(user => <UserRow key={user.id} user={user} />)}
            />
            {rows.length === 0 && (
              <div className="card">
                <Empty icon="person">{t('console.search.none')}</Empty>
              </div>
            )}
            {(accounts.length >= MAX_RESULTS || users.length >= MAX_RESULTS) && (
              <p>{t('console.search.many')}</p>
            )}
            {more && <ActionRow action={more}>{t('console.search.further')}</ActionRow>}
          </>
        )
      }}
    </Loaded>
  )
}

/** Somebody who is changed between two steps can be found in both. */
function eachOnce<T extends { readonly id: string }>(found: readonly T[]): T[] {
  return [...new Map(found.map(each => [each.id, each])).values()]
}

function FoundRows({ title, rows }: { readonly title: string; readonly rows: readonly ReactNode[] }) {
  if (rows.length === 0) return null
  return (
    <Section title={title}>
      <ul className="rows">{rows}</ul>
    </Section>
  )
}
