import type { Permissions } from '@mainstay-auth/client'
import { type ReactNode, useState } from 'react'
import { Field, Form } from '../pieces/forms.js'
import { Loaded, useLoad } from '../pieces/loading.js'
import { Success } from '../pieces/notices.js'
import { Empty, EmptyPage, Page, Section } from '../pieces/page.js'
import { type Permission, permissionName } from '../pieces/people.js'
import { locale, t } from '../pieces/t.js'
import { Fact } from '../pieces/text.js'
import { read } from './client.js'

export function DataPage({ userId }: { readonly userId: string }) {
  const [entries, setEntries] = useState(() => readEntries(userId))
  const [added, setAdded] = useState('')
  return (
    <Page title={t('satellite.data')}>
      <Permitted permission="dataEntry">
        <Section title={t('entries.new')}>
          <Form
            submit={t('entries.submit')}
            send={async ({ what = '', amount = '' }, form) => {
              addEntry(userId, { what, amount: Number(amount) })
              setEntries(readEntries(userId))
              setAdded(what)
              form.reset()
            }}
          >
            {added && <Success>{t('entries.added', { added })}</Success>}
            <Field label={t('entries.what')} name="what" required maxLength={100} />
            <Field label={t('entries.amount')} name="amount" type="number" step="any" required />
          </Form>
        </Section>
        <Section title={t('entries.title')}>
          <EntryTable entries={entries} />
        </Section>
      </Permitted>
    </Page>
  )
}

function EntryTable({ entries }: { readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return <Empty icon="list">{t('entries.none')}</Empty>
  const number = new Intl.NumberFormat(locale())
  return (
    <table>
      <thead>
        <tr>
          <th>{t('entries.what')}</th>
          <th className="number">{t('entries.amount')}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ what, amount }, index) => (
          <tr key={index}>
            <td data-name={t('entries.what')}>{what}</td>
            <td className="number" data-name={t('entries.amount')}>
              {number.format(amount)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function ReportsPage({ userId }: { readonly userId: string }) {
  const entries = readEntries(userId)
  const sum = entries.reduce((total, { amount }) => total + amount, 0)
  return (
    <Page title={t('satellite.reports')}>
      <Permitted permission="viewReports">
        <Section title={t('entries.sumTitle')}>
          <dl>
            <Fact name={t('entries.title')}>{entries.length}</Fact>
            <Fact name={t('entries.sum')}>{new Intl.NumberFormat(locale()).format(sum)}</Fact>
          </dl>
        </Section>
      </Permitted>
    </Page>
  )
}

/** Shows its content to people who may see it, according to the service's answer for this same token. */
function Permitted({
  permission,
  children,
}: {
  readonly permission: Permission
  readonly children: ReactNode
}) {
  const answer = useLoad(() => read<{ permissions: Permissions }>('data'))
  return (
    <Loaded of={answer}>
      {({ permissions }) =>
        permissions[permission] ? (
          children
        ) : (
          <EmptyPage icon="shield" link={t('satellite.toStart')}>
            {t('satellite.permissionNeeded', { permission: permissionName(permission) })}
          </EmptyPage>
        )
      }
    </Loaded>
  )
}

/**
 * Data entered on this demo satellite; a real one sends it to a backend that verifies the token
 * (@mainstay-auth/verify).
 */
interface Entry {
  readonly what: string
  readonly amount: number
}

/** Whoever logs in next in this tab must not see them. */
const keyOf = (userId: string) => `demo.entries ${userId}`

/** The user's; none where the browser stores nothing. */
function readEntries(userId: string): Entry[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(userId)) ?? '[]')
  } catch {
    return []
  }
}

/** Throws a DOMException where the browser stores nothing. */
function addEntry(userId: string, entry: Entry): void {
  sessionStorage.setItem(keyOf(userId), JSON.stringify([...readEntries(userId), entry]))
}
