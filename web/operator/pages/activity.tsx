import { ActionRow } from '../../pieces/forms/action-row.js'
import { usePages } from '../../pieces/loading/use-pages.js'
import { Loaded } from '../../pieces/loading/waiting.js'
import { Page, Section } from '../../pieces/page.js'
import { usePlace } from '../../pieces/router.js'
import { ActivityFilter } from '../activity/activity-filter.js'
import { activityQuery } from '../activity/activity-query.js'
import { DeedRows } from '../activity/deed-rows.js'
import type { Activity } from '../answers.js'
import { ask } from '../api.js'
import { t } from '../language.js'
import { StateFilter } from '../state-filter.js'

/** What operators did. The filter is in the address, so that it can be shared. */
export function ActivityPage() {
  const { query } = usePlace()
  const filter = activityQuery(query)
  const { list, more } = usePages(async after => {
    const asked = new URLSearchParams([...filter, ...(after ? [['after', after]] : [])])
    const { entries, next } = await ask<Activity>(`activity?${asked}`)
    return { rows: entries, next }
  }, filter.toString())
  return (
    <Page title={t('console.activity.title')}>
      <StateFilter
        name="kind"
        drops="action"
        states={[
          ['', t('console.activity.changes')],
          ['looks', t('console.activity.looks')],
          ['logins', t('console.activity.logins')],
          ['all', t('audit.all')],
        ]}
      />
      <Section title={t('console.activity.heading')}>
        <ActivityFilter query={query} />
        <Loaded of={list} shape="rows">
          {({ rows }) => <DeedRows deeds={rows} />}
        </Loaded>
        {more && <ActionRow action={more}>{t('audit.older')}</ActionRow>}
      </Section>
    </Page>
  )
}
