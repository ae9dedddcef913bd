import { Fact } from '../../../../pieces/fact.js'
import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { Page, Section } from '../../../../pieces/page.js'
import { go, Link } from '../../../../pieces/router.js'
import { toast } from '../../../../pieces/toasts.js'
import { useLoad } from '../../../../pieces/use-load.js'
import { Loaded } from '../../../../pieces/waiting.js'
import { Day, When } from '../../../../pieces/when.js'
import type { Satellite } from '../../../answers.js'
import { call } from '../../../api.js'
import { isNotFound, NotFoundHere } from '../../not-found.js'
import { BrandingForm } from './branding-form.js'
import { ProofCheck } from './proof-check.js'
import { ProofRecord } from './proof-record.js'
import type { SatelliteProps } from './satellite-props.js'
import { SatelliteSettings } from './satellite-settings.js'
import { StateTag, StateText } from './satellite-state.js'

/** One satellite: its proof, how people log in there, how it looks. */
export function SatellitePage({ id }: { readonly id: string }) {
  const satellite = useLoad(() => call<Satellite>('GET', `satellites/${id}`))
  if (isNotFound(satellite.error)) return <NotFoundHere />
  return (
    <Page title={satellite.data?.name ?? 'Satellite'}>
      <p>
        <Link href="/account/satellites">← Back to the satellites</Link>
      </p>
      <Loaded of={satellite}>{found => <Sections satellite={found} reload={satellite.reload} />}</Loaded>
    </Page>
  )
}

function Sections(props: SatelliteProps) {
  const { satellite } = props
  return (
    <>
      <Section title="Satellite">
        <dl>
          <Fact name="Address">{satellite.origin}</Fact>
          {satellite.kind === 'preview' && (
            <Fact name="Kind">Preview deployments, for members who have access by name</Fact>
          )}
          <Fact name="Client id">
            <code>{satellite.id}</code>
            <small>
              In access tokens of this satellite, so that its backends can refuse those of others.
            </small>
          </Fact>
          <Fact name="Added">
            <When at={satellite.createdAt} />
          </Fact>
          <Fact name="State">
            <StateTag satellite={satellite} />
          </Fact>
        </dl>
        <p>
          <StateText satellite={satellite} />
        </p>
        {satellite.suspendedBy !== 'operator' && <Standing {...props} />}
      </Section>
      <Section title="Proof that it is yours">
        <Proof {...props} />
      </Section>
      <Section title="Settings">
        <SatelliteSettings {...props} />
      </Section>
      <Section title="Branding">
        <BrandingForm {...props} />
      </Section>
    </>
  )
}

/** Whether it may be used, and whether it stays. */
function Standing({ satellite: { id, name, state }, reload }: SatelliteProps) {
  return (
    <div className="actions">
      {state === 'active' && (
        <ConfirmButton
          name="Suspend"
          question={`Suspend ${name}?`}
          confirm="Suspend this satellite"
          act={() => call('POST', `satellites/${id}/suspend`).then(reload)}
        >
          <p>
            Its pages are refused within seconds, and its sessions cannot go on until it is resumed. Nothing
            else changes.
          </p>
        </ConfirmButton>
      )}
      <ConfirmButton
        name="Remove"
        question={`Remove ${name}?`}
        confirm="Remove this satellite"
        act={async () => {
          await call('DELETE', `satellites/${id}`)
          toast(`${name} is no longer a satellite.`)
          go('/account/satellites')
        }}
      >
        <p>
          Its pages are refused within seconds and its sessions end. To have it back you would have to add and
          prove it again.
        </p>
      </ConfirmButton>
    </div>
  )
}

function Proof({ satellite, reload }: SatelliteProps) {
  if (satellite.state === 'active' && satellite.proof.method === 'operator')
    return <p>We vouch for this satellite ourselves, so there is nothing to publish.</p>
  return (
    <>
      <p>
        <ProofText satellite={satellite} />
      </p>
      <ProofRecord proof={satellite.proof} />
      <ProofCheck satellite={satellite} reload={reload} />
    </>
  )
}

function ProofText({ satellite: { state, proof } }: { readonly satellite: Satellite }) {
  const places = proof.file ? 'in one of the two places' : 'in the DNS'
  if (state === 'pending')
    return (
      <>
        Publish this {places} by <Day at={proof.expiresAt} />, and leave it there: we look for it again every
        day.
      </>
    )
  if (state === 'suspended') return <>To resume the satellite, publish this {places}.</>
  return (
    <>
      Leave this where it is: we look for it every day, and suspend the satellite when it has been missing for
      7 days.
      {proof.provenAt && (
        <>
          {' '}
          It was last found on <When at={proof.provenAt} />.
        </>
      )}
    </>
  )
}
