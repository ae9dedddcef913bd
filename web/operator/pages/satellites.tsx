import { Page, Section } from '../../pieces/page.js'
import { usePlace } from '../../pieces/router.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import type { Satellite } from '../answers.js'
import { ask } from '../api.js'
import { SatelliteRows } from '../satellite-rows.js'
import { StateFilter } from '../state-filter.js'

const STATES = [
  ['', 'All'],
  ['pending', 'Pending'],
  ['active', 'Active'],
  ['suspended', 'Suspended'],
] as const

export function SatellitesPage() {
  const state = usePlace().query.get('state') ?? ''
  const path = `satellites${state && `?${new URLSearchParams({ state })}`}`
  const list = useLoad(() => ask<{ satellites: readonly Satellite[] }>(path), path)
  return (
    <Page title="Satellites">
      <StateFilter path="/satellites" states={STATES} chosen={state} />
      <Section title="The newest 100">
        <Loaded of={list} shape="rows">
          {({ satellites }) => <SatelliteRows satellites={satellites} withAccount reload={list.reload} />}
        </Loaded>
      </Section>
    </Page>
  )
}
