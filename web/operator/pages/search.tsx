import { Field } from '../../pieces/forms/field.js'
import { Form } from '../../pieces/forms/form.js'
import { useLoad } from '../../pieces/loading/use-load.js'
import { Loaded } from '../../pieces/loading/waiting.js'
import { Page, Section } from '../../pieces/page.js'
import { go, Link, usePlace } from '../../pieces/router.js'
import { Day } from '../../pieces/time/when.js'
import type { Found } from '../answers.js'
import { ask } from '../api.js'
import { T, t } from '../language.js'
import { UserRow } from '../rows/user-row.js'

/** The search is in the address, so that going back restores it. */
export function SearchPage() {
  const { query } = usePlace()
  const text = query.get('q') ?? ''
  return (
    <Page title={t('console.search.title')}>
      <div className="card">
        <Form
          submit={t('console.search.submit')}
          send={async ({ q = '' }) => go(`/?${new URLSearchParams({ q: q.trim() })}`)}
        >
          <Field
            key={text}
            label={t('console.search.label')}
            name="q"
            defaultValue={text}
            minLength={2}
            maxLength={254}
            autoComplete="off"
            hint={t('console.search.hint')}
            required
          />
        </Form>
      </div>
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
          <Section title={t('console.search.accounts')}>
            {accounts.length === 0 ? (
              <p className="absent">{t('console.search.noAccount')}</p>
            ) : (
              <ul className="rows">
                {accounts.map(account => (
                  <AccountRow key={account.id} account={account} />
                ))}
              </ul>
            )}
          </Section>
          <Section title={t('console.search.users')}>
            {users.length === 0 ? (
              <p className="absent">{t('console.search.noUser')}</p>
            ) : (
              <ul className="rows">
                {users.map(user => (
                  <UserRow key={user.id} user={user} />
                ))}
              </ul>
            )}
          </Section>
        </>
      )}
    </Loaded>
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
