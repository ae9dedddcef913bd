import type { ReactNode } from 'react'
import { Field, Form } from '../../pieces/forms.js'
import { Loaded, useLoad } from '../../pieces/loading.js'
import { Empty, Page, Section } from '../../pieces/page.js'
import { go, Link, usePlace } from '../../pieces/router.js'
import { Day } from '../../pieces/time.js'
import { ask, type Found } from '../api.js'
import { T, t } from '../language.js'
import { UserRow } from '../rows.js'

/** The search is in the address, so that going back restores it. */
export function SearchPage() {
  const { query } = usePlace()
  const text = query.get('q') ?? ''
  return (
    <Page title={t('console.search.title')}>
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
      {text !== '' && <Results key={text} text={text} />}
    </Page>
  )
}

function Results({ text }: { readonly text: string }) {
  const found = useLoad(() => ask<Found>(`search?${new URLSearchParams({ q: text })}`), text)
  return (
    <Loaded of={found} shape="rows">
      {({ accounts, users }) => (
        <>
          <FoundRows
            title={t('console.search.accounts')}
            rows={accounts.map(account => <AccountRow key={account.id} account={account} />)}
          />
          <FoundRows
            title={t('console.search.users')}
            rows={users.map(user => <UserRow key={user.id} user={user} />)}
          />
          {accounts.length + users.length === 0 && (
            <div className="card">
              <Empty icon="person">{t('console.search.none')}</Empty>
            </div>
          )}
        </>
      )}
    </Loaded>
  )
}

function FoundRows({ title, rows }: { readonly title: string; readonly rows: readonly ReactNode[] }) {
  if (rows.length === 0) return null
  return (
    <Section title={title}>
      <ul className="rows">{rows}</ul>
    </Section>
  )
}

function AccountRow({
  account: { id, name, owner, createdAt },
}: {
  readonly account: Found['accounts'][number]
}) {
  return (
    <li>
      <div>
        <Link href={`/accounts/${id}`}>{name ?? owner ?? t('console.account.unnamed')}</Link>
        <br />
        <small>
          {owner ?? t('console.account.noOwner')} · <T id="console.since" day={<Day at={createdAt} />} />
        </small>
      </div>
    </li>
  )
}
