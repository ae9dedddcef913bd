import { Field } from '../../pieces/forms/field.js'
import { Form } from '../../pieces/forms/form.js'
import { Page, Section } from '../../pieces/page.js'
import { go, Link, usePlace } from '../../pieces/router.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import { Day } from '../../pieces/when.js'
import type { Found, FoundUser } from '../answers.js'
import { ask } from '../api.js'

/** What is searched for is in the address, so that the way back leads to it. */
export function SearchPage() {
  const { query } = usePlace()
  const text = query.get('q') ?? ''
  return (
    <Page title="Search">
      <div className="card">
        <Form submit="Search" send={async ({ q = '' }) => go(`/?${new URLSearchParams({ q: q.trim() })}`)}>
          <Field
            key={text}
            label="Account or user"
            name="q"
            defaultValue={text}
            minLength={2}
            maxLength={254}
            autoComplete="off"
            hint="How an e-mail address or an account's name begins, a satellite's origin, a customer of the payment provider, or an id. Each search is recorded."
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
          <Section title="Accounts">
            {accounts.length === 0 && <p>None.</p>}
            <ul className="rows">
              {accounts.map(({ id, name, owner, createdAt }) => (
                <li key={id}>
                  <div>
                    <Link href={`/accounts/${id}`}>{name ?? owner ?? id}</Link>
                    <br />
                    <small>
                      {owner ?? 'No owner'}, since <Day at={createdAt} />
                    </small>
                  </div>
                </li>
              ))}
            </ul>
          </Section>
          <Section title="Users">
            {users.length === 0 && <p>None.</p>}
            <ul className="rows">
              {users.map(user => (
                <UserRow key={user.id} user={user} />
              ))}
            </ul>
          </Section>
        </>
      )}
    </Loaded>
  )
}

/** A user in a list, with the way to them. */
export function UserRow({ user: { id, email, name, role, disabledAt } }: { readonly user: FoundUser }) {
  return (
    <li>
      <div>
        <Link href={`/users/${id}`}>{email}</Link>
        {name && (
          <>
            <br />
            <small>{name}</small>
          </>
        )}
      </div>
      <span className="tags">
        {role === 'owner' && <span className="tag">Owner</span>}
        {disabledAt && <span className="tag bad">Disabled</span>}
      </span>
    </li>
  )
}
