import type { ReactNode } from 'react'
import { Icon } from '../../pieces/icon.js'
import { Loaded, LoadedTogether, useLoad } from '../../pieces/loading.js'
import { Section } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { Ago, Day, When } from '../../pieces/time.js'
import { type Attention, ask, type DayFigures, type Viewed } from '../api.js'
import { T, t } from '../language.js'
import { AccountLink, AccountRow, RowList, UserRow } from '../rows.js'
import { FigureTiles } from './figures.js'

/** What needs somebody, where the operator was, and what happened in the last 30 days. */
export function Home() {
  const attention = useLoad(() => ask<Attention>('attention'))
  const figures = useLoad(() => ask<{ readonly days: readonly DayFigures[] }>('figures'))
  const viewed = useLoad(() => ask<Viewed>('viewed'))
  return (
    <LoadedTogether of={[attention, viewed]}>
      <Section title={t('console.attention.title')}>
        <Loaded of={attention}>{found => <Worries rows={worriesIn(found)} />}</Loaded>
      </Section>
      <Section title={t('console.viewed.title')}>
        <Loaded of={viewed} shape="rows">
          {found => (
            <RowList of={found.viewed} icon="clock" none={t('console.viewed.none')}>
              {({ at, user, account }) =>
                user ? (
                  <UserRow key={user.id} user={user} at={at} />
                ) : (
                  account && <AccountRow key={account.id} account={account} at={at} />
                )
              }
            </RowList>
          )}
        </Loaded>
      </Section>
      {/* Last, because counting may take long. */}
      <Section title={t('console.figures.title')} about={t('console.figures.about')}>
        <Loaded of={figures}>{({ days }) => <FigureTiles days={days} />}</Loaded>
      </Section>
    </LoadedTogether>
  )
}

function Worries({ rows }: { readonly rows: readonly ReactNode[] }) {
  if (rows.length > 0) return <ul className="rows">{rows}</ul>
  return (
    <div className="worry good">
      <Icon name="check" />
      {t('console.attention.none')}
    </div>
  )
}

/** As long as an event may wait before it wakes the person on call (MainstayBillingLate, docs/operations/watching.md). */
const LATE_MS = 15 * 60 * 1000

/** The worst first. */
function worriesIn({ parts, mails, billing, satellites, deletions }: Attention): ReactNode[] {
  const rows: ReactNode[] = Object.entries(parts)
    .filter(([, { state }]) => state === 'down')
    .map(([name, { since }]) => (
      <Worry key={name} look="bad" href="/health">
        <T
          id={name === 'database' ? 'console.attention.database' : 'console.attention.sessionStore'}
          when={<When at={since} />}
        />
      </Worry>
    ))
  if (billing) {
    const { waitingEvents, oldestWaiting, customersFailed, customersParked } = billing
    const failing = customersFailed - customersParked
    if (customersParked > 0)
      rows.push(
        <Worry key="parked" look="bad" href="/payments?state=parked">
          {t('console.attention.parked', { count: customersParked })}
        </Worry>,
      )
    if (failing > 0)
      rows.push(
        <Worry key="failing" look="warn" href="/payments?state=failed">
          {t('console.attention.failing', { count: failing })}
        </Worry>,
      )
    if (oldestWaiting && Date.now() - Date.parse(oldestWaiting) > LATE_MS)
      rows.push(
        <Worry key="waiting" look="bad" href="/payments">
          <T id="console.attention.waiting" count={waitingEvents} ago={<Ago at={oldestWaiting} />} />
        </Worry>,
      )
  }
  if (mails.failed > 0)
    rows.push(
      <Worry key="mails" look="warn" href="/mails">
        {t('console.attention.mails', { count: mails.failed })}
      </Worry>,
    )
  if (satellites.failing > 0)
    rows.push(
      <Worry key="satellites" look="warn" href="/satellites?state=active">
        {t('console.attention.satellites', { count: satellites.failing })}
      </Worry>,
    )
  for (const { id, name, deleteAt } of deletions.next)
    rows.push(
      <Worry key={id} look="warn">
        <T
          id="console.attention.deletion"
          account={<AccountLink id={id} name={name} />}
          day={<Day at={deleteAt} />}
        />
      </Worry>,
    )
  const others = deletions.all - deletions.next.length
  if (others > 0)
    rows.push(
      <Worry key="deletions" look="warn">
        {t('console.attention.otherDeletions', { count: others })}
      </Worry>,
    )
  return rows
}

function Worry({
  look,
  href,
  children,
}: {
  readonly look: 'bad' | 'warn'
  /** Of the page that says more. */
  readonly href?: string
  readonly children: ReactNode
}) {
  return (
    <li>
      <div className={`worry ${look}`}>
        <Icon name="warning" />
        <span>{href ? <Link href={href}>{children}</Link> : children}</span>
      </div>
    </li>
  )
}
