import { Fact } from '../../../../pieces/fact.js'
import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
import { useLoad } from '../../../../pieces/loading/use-load.js'
import { Loaded } from '../../../../pieces/loading/waiting.js'
import { toast } from '../../../../pieces/notices/toasts.js'
import { Page, SplitSection } from '../../../../pieces/page.js'
import { go } from '../../../../pieces/router.js'
import { BackLink } from '../../../../pieces/shell/back-link.js'
import { Day, When } from '../../../../pieces/time/when.js'
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
    <Page
      title={satellite.data?.name ?? t('satellite.title')}
      back={<BackLink href="/account/satellites">{t('satellite.back')}</BackLink>}
    >
      <Loaded of={satellite}>{found => <Sections satellite={found} reload={satellite.reload} />}</Loaded>
    </Page>
  )
}

function Sections(props: SatelliteProps) {
  const { satellite } = props
  return (
    <>
      <SplitSection title={t('satellite.title')} about={<StateText satellite={satellite} />}>
        <dl>
          <Fact name={t('satellite.address')}>{satellite.origin}</Fact>
          {satellite.kind === 'preview' && (
            <Fact name={t('satellite.kind')}>{t('satellite.previewKind')}</Fact>
          )}
          <Fact name={t('satellite.clientId')}>
            <code>{satellite.id}</code>
            <small>{t('satellite.clientIdHint')}</small>
          </Fact>
          <Fact name={t('satellite.added')}>
            <When at={satellite.createdAt} />
          </Fact>
          <Fact name={t('satellite.state')}>
            <StateTag satellite={satellite} />
          </Fact>
        </dl>
        {satellite.suspendedBy !== 'operator' && <Standing {...props} />}
      </SplitSection>
      <SplitSection title={t('satellite.proof')}>
        <Proof {...props} />
      </SplitSection>
      <SplitSection title={t('settings.title')}>
        <SatelliteSettings {...props} />
      </SplitSection>
      <SplitSection title={t('satelliteBranding.title')} about={t('satelliteBranding.about')}>
        <BrandingForm {...props} />
      </SplitSection>
    </>
  )
}

/** Whether it may be used, and whether to keep it. */
function Standing({ satellite: { id, name, state }, reload }: SatelliteProps) {
  return (
    <div className="actions">
      {state === 'active' && (
        <ConfirmButton
          name={t('satellite.suspend')}
          question={t('satellite.suspendAsk', { name })}
          confirm={t('satellite.suspendYes')}
          act={() => call('POST', `satellites/${id}/suspend`).then(reload)}
        >
          <p>{t('satellite.suspendMeans')}</p>
        </ConfirmButton>
      )}
      <ConfirmButton
        name={t('common.remove')}
        kind="danger"
        question={t('satellite.removeAsk', { name })}
        confirm={t('satellite.removeYes')}
        act={async () => {
          await call('DELETE', `satellites/${id}`)
          toast(t('satellite.removed', { name }))
          go('/account/satellites')
        }}
      >
        <p>{t('satellite.removeMeans')}</p>
      </ConfirmButton>
    </div>
  )
}

function Proof({ satellite, reload }: SatelliteProps) {
  if (satellite.state === 'active' && satellite.proof.method === 'operator')
    return <p>{t('satellite.vouched')}</p>
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
  const places = t(proof.file ? 'satellite.inOnePlace' : 'satellite.inDns')
  if (state === 'pending')
    return <T id="satellite.publishBy" places={places} date={<Day at={proof.expiresAt} />} />
  if (state === 'suspended') return <>{t('satellite.publishToResume', { places })}</>
  return (
    <>
      {t('satellite.leaveProof')}
      {proof.provenAt && (
        <>
          {' '}
          <T id="satellite.lastFound" date={<When at={proof.provenAt} />} />
        </>
      )}
    </>
  )
}
