import { MainstayError } from '@mainstay-auth/client'
import { type ReactNode, useRef, useState } from 'react'
import { inkOn } from '../../../../src/platform/contrast.js'
import { useEffect } from '../../../pieces/activity.js'
import { ConfirmButton, type Option, RadioChoice, SelectField } from '../../../pieces/controls.js'
import { rescueFocus } from '../../../pieces/focus.js'
import { type Action, ActionButton, CopyButton, Field, Form, useAction } from '../../../pieces/forms.js'
import { Icon } from '../../../pieces/icon.js'
import { type Load, Loaded, Skeleton, useLoad, Waiting } from '../../../pieces/loading.js'
import { BackLink } from '../../../pieces/navigation.js'
import { Failure, faultText, Hint, Success, toast } from '../../../pieces/notices.js'
import { Page, Section, SplitSection } from '../../../pieces/page.js'
import { permissionName } from '../../../pieces/people.js'
import { go } from '../../../pieces/router.js'
import { hostOf, site } from '../../../pieces/site.js'
import { t } from '../../../pieces/t.js'
import { Fact, T } from '../../../pieces/text.js'
import { Day, useSecondsUntil, When } from '../../../pieces/time.js'
import { type Branding, call, type Proof, type Satellite } from '../../api.js'
import { isNotFound, NotFoundHere } from '../not-found.js'
import { durationOptions, IdleTimeoutField, idleSecondsOf } from './idle-timeout.js'
import { StateTag, StateText } from './satellites.js'

/** Of the client that the service serves to pages; web/build.mjs puts it in. */
declare const CLIENT_VERSION: string

/** One satellite: its proof, how people log in there, how it looks. */
export function SatellitePage({ id }: { readonly id: string }) {
  const satellite = useLoad(() => call<Satellite>('GET', `satellites/${id}`))
  if (isNotFound(satellite.error)) return <NotFoundHere />
  // Its name may take more lines than any other heading.
  if (!satellite.data && !satellite.error) return <Skeleton shape="rows" />
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
  const { state } = props.satellite
  // The last step stays until the page is left.
  const [isNew, setIsNew] = useState(state === 'pending')
  if (isNew && state === 'suspended') setIsNew(false)
  if (!isNew) return <Details {...props} />
  return (
    <>
      <Steps {...props} />
      {/* What is being typed there stays when the proof is found. */}
      <details className="later" open={state !== 'pending' || undefined}>
        <summary hidden={state !== 'pending'}>{t('satelliteSteps.later')}</summary>
        <Details {...props} isNew />
      </details>
    </>
  )
}

/** What it takes until people can log in there. */
function Steps(props: SatelliteProps) {
  const { origin, state, proof } = props.satellite
  const isProven = state === 'active'
  const login = `<script type="module" src="${site.apiUrl}/client/${CLIENT_VERSION}/mainstay-login.js"></script>
<mainstay-login></mainstay-login>`
  return (
    <Section title={t('satelliteSteps.title')} about={<StateText {...props} />}>
      <ol className="stepper">
        <StepOf title={t('satellite.address')} isDone>
          <p>{hostOf(origin)}</p>
        </StepOf>
        <StepOf title={t('satellite.proof')} isDone={isProven} isNext={!isProven}>
          {isProven ? (
            <Success>{t('proofCheck.nowActive')}</Success>
          ) : (
            <>
              <p>
                <ProofText {...props} />
              </p>
              <ProofRecord proof={proof} />
              <ProofCheck {...props} />
            </>
          )}
        </StepOf>
        <StepOf title={t('satelliteSteps.logIn')} isNext={isProven}>
          {isProven ? (
            <>
              <p>{t('satelliteSteps.addLogin')}</p>
              <pre>{login}</pre>
              <CopyButton text={login} label={t('satelliteSteps.copy')} />
            </>
          ) : (
            <p>{t('satelliteSteps.then')}</p>
          )}
        </StepOf>
      </ol>
    </Section>
  )
}

function StepOf({
  title,
  isDone = false,
  isNext = false,
  children,
}: {
  readonly title: string
  readonly isDone?: boolean
  readonly isNext?: boolean
  readonly children: ReactNode
}) {
  return (
    <li className={isDone ? 'done' : ''} aria-current={isNext ? 'step' : undefined}>
      <span className="step-mark">{isDone && <Icon name="check" />}</span>
      <div>
        <h3>
          {title} {isDone && <small>{t('audit.done')}</small>}
        </h3>
        {children}
      </div>
    </li>
  )
}

function Details({
  isNew = false,
  ...props
}: SatelliteProps & {
  /** Its proof is one of the steps. */
  readonly isNew?: boolean
}) {
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
      {!isNew && (
        <SplitSection title={t('satellite.proof')}>
          <ProofSection {...props} />
        </SplitSection>
      )}
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

function ProofSection({ satellite, reload }: SatelliteProps) {
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

/** For components that show or change one satellite. */
interface SatelliteProps {
  readonly satellite: Satellite
  readonly reload: Load<Satellite>['reload']
}

const ownMessages = () => ({
  ORIGIN_TAKEN: t('proofCheck.taken'),
  TOO_MANY_ATTEMPTS: t('proofCheck.tooMany'),
})

/** Looks for the proof, and shows what was looked up and what came back. */
function ProofCheck({ satellite: { id, state, suspendedBy }, reload }: SatelliteProps) {
  const [found, setFound] = useState('')
  const look = async () => {
    setFound('')
    try {
      await call('POST', `satellites/${id}/${state === 'suspended' ? 'resume' : 'verify'}`)
    } catch (error) {
      // There is a new token to publish.
      if (error instanceof MainstayError && error.code === 'PROOF_EXPIRED') await reload()
      throw error
    }
    await reload()
    setFound(t(state === 'suspended' ? 'proofCheck.activeAgain' : 'proofCheck.there'))
  }
  const check = useProofCheck(look, state === 'pending')
  const { error, isBusy, secondsLeft } = check
  if (suspendedBy === 'operator') return null
  return (
    <>
      {found && state === 'active' && <Success>{found}</Success>}
      {isBusy && <Waiting what={t('proofCheck.looking')} />}
      {isProofMissing(error) ? (
        <ProofAnswers error={error} />
      ) : (
        <Failure error={error} messages={ownMessages()} />
      )}
      <div className="actions">
        <ActionButton action={check} kind={state === 'active' ? 'plain' : 'primary'}>
          {state === 'suspended' ? t('proofCheck.resume') : t('proofCheck.look')}
        </ActionButton>
        {secondsLeft !== null && <small>{t('proofCheck.again', { seconds: secondsLeft })}</small>}
      </div>
    </>
  )
}

/** Each look-up in its own words, followed by its result. */
function ProofAnswers({ error }: { readonly error: MainstayError }) {
  return (
    <Hint isNews>
      <p>{t('proofCheck.notFound')}</p>
      <ul>
        {error.errors.map(fault => (
          <li key={fault.message}>
            <code>{fault.values?.question}</code>
            <br />
            {faultText(fault)}
          </li>
        ))}
      </ul>
      <p>{t('proofCheck.patience')}</p>
    </Hint>
  )
}

/**
 * Pauses before automatic checks. There are three per visit, because an account has ten an hour for all its
 * satellites.
 */
const PAUSES_SECONDS = [30, 120, 300]

/**
 * Checks the proof. While the user is waiting for it and it is missing, repeats the check a few times
 * automatically.
 */
function useProofCheck(
  look: () => Promise<unknown>,
  isWaiting: boolean,
): Action<void> & { /** Until the next automatic check. */ readonly secondsLeft: number | null } {
  const action = useAction(look)
  const { error } = action
  const [repeats, setRepeats] = useState(0)
  const [dueAt, setDueAt] = useState<number | null>(null)
  const run = useRef(action.run)
  run.current = action.run
  const pause = isWaiting && isProofMissing(error) ? PAUSES_SECONDS[repeats] : undefined
  useEffect(() => {
    setDueAt(pause ? Date.now() + pause * 1_000 : null)
    // A check by hand begins the pause anew.
  }, [pause, error])
  const secondsLeft = useSecondsUntil(dueAt)
  const isDue = dueAt !== null && secondsLeft === null
  useEffect(() => {
    if (!isDue) return
    setDueAt(null)
    setRepeats(count => count + 1)
    void run.current()
  }, [isDue])
  return { ...action, secondsLeft }
}

/** The check itself succeeded, but there was no proof. */
function isProofMissing(error: unknown): error is MainstayError {
  return error instanceof MainstayError && error.code === 'PROOF_NOT_FOUND'
}

/** What to publish, and where. */
function ProofRecord({ proof: { dns, file } }: { readonly proof: Proof }) {
  return (
    <>
      <h3>{t('proofRecord.dns')}</h3>
      <dl className="record">
        <ProofLine name={t('field.name')} text={dns.name} label={t('proofRecord.copyName')} />
        <ProofLine name={t('proofRecord.value')} text={dns.value} label={t('proofRecord.copyValue')} />
      </dl>
      {file ? (
        <>
          <h3>{t('proofRecord.file')}</h3>
          <dl className="record">
            <ProofLine name={t('satellite.address')} text={file.url} label={t('proofRecord.copyUrl')} />
            <ProofLine
              name={t('proofRecord.content')}
              text={file.content}
              label={t('proofRecord.copyContent')}
            />
          </dl>
        </>
      ) : (
        <p>{t('proofRecord.previews')}</p>
      )}
    </>
  )
}

function ProofLine({
  name,
  text,
  label,
}: {
  readonly name: string
  readonly text: string
  readonly label: string
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{text}</code>
        <CopyButton text={text} label={label} />
      </dd>
    </div>
  )
}

const loginModes = () => [
  { value: 'both', name: t('loginMode.both'), hint: t('loginMode.bothHint') },
  {
    value: 'handoff',
    name: t('loginMode.handoff'),
    hint: t('loginMode.handoffHint'),
  },
  { value: 'password', name: t('loginMode.password') },
]

const secondFactors = () => [
  {
    value: 'handoff',
    name: t('factorPlace.handoff'),
    hint: t('factorPlace.handoffHint'),
  },
  {
    value: 'allowed',
    name: t('factorPlace.allowed'),
    hint: t('factorPlace.allowedHint'),
  },
]

/** The permissions that a satellite session can have at all. */
const CEILING = ['dataEntry', 'viewReports'] as const

function SatelliteSettings({ satellite, reload }: SatelliteProps) {
  const { id, name, kind, ceiling, loginMode, secondFactor, sessionSeconds, idleSeconds } = satellite
  const save = async (texts: Readonly<Record<string, string>>) => {
    await call('PATCH', `satellites/${id}`, {
      name: texts.name?.trim(),
      ceiling: Object.fromEntries(CEILING.map(permission => [permission, permission in texts])),
      loginMode: texts.loginMode,
      secondFactor: texts.secondFactor,
      sessionSeconds: texts.sessionSeconds ? Number(texts.sessionSeconds) : null,
      idleSeconds: idleSecondsOf(texts),
    })
    await reload()
    toast(t('satelliteSettings.saved'))
  }
  return (
    <Form isEdit submit={t('satelliteSettings.submit')} send={save}>
      <Field
        label={t('field.name')}
        name="name"
        defaultValue={name}
        autoComplete="off"
        maxLength={100}
        required
      />
      <fieldset>
        <legend>{t('satelliteSettings.ceiling')}</legend>
        {CEILING.map(permission => (
          <label key={permission} className="choice">
            <input type="checkbox" name={permission} defaultChecked={ceiling[permission]} />
            {permissionName(permission)}
          </label>
        ))}
      </fieldset>
      <RadioChoice
        label={t('satelliteSettings.loginMode')}
        name="loginMode"
        options={loginModes()}
        chosen={loginMode}
      />
      <RadioChoice
        label={t('satelliteSettings.factorPlace')}
        name="secondFactor"
        options={secondFactors()}
        chosen={secondFactor}
      />
      <SelectField
        label={t('satelliteSettings.session')}
        name="sessionSeconds"
        options={sessionOptions(kind, sessionSeconds)}
        chosen={String(sessionSeconds ?? '')}
        hint={t('satelliteSettings.sessionHint')}
      />
      <IdleTimeoutField
        chosen={idleSeconds}
        none={t('satelliteSettings.usualIdle')}
        hint={t('satelliteSettings.idleHint')}
      />
    </Form>
  )
}

const HOUR = 60 * 60
const DAY = 24 * HOUR
const USUAL_SECONDS = [HOUR, 8 * HOUR, DAY, 7 * DAY, 30 * DAY]
/** The maximum for preview sessions. */
const PREVIEW_SECONDS = 8 * HOUR

/** The possible lifetimes of sessions, including the current one, which may not be among the usual ones. */
function sessionOptions(kind: Satellite['kind'], chosen: number | null): Option[] {
  const usual = USUAL_SECONDS.filter(seconds => kind === 'production' || seconds <= PREVIEW_SECONDS)
  return [
    ...(kind === 'production' || chosen === null
      ? [{ value: '', name: t('satelliteSettings.usualSession') }]
      : []),
    ...durationOptions(usual, chosen),
  ]
}

/** The initial colours of a satellite without branding: our own. */
const COLOURS = { accent: '#1d5bd6', background: '#f4f6f9' }

/** How the satellite looks in mails about it, and where people log in for it. */
function BrandingForm({ satellite: { id, name, branding }, reload }: SatelliteProps) {
  const [draft, setDraft] = useState<Branding>(branding ?? { name, logoUrl: null, ...COLOURS })
  const change = (part: Partial<Branding>) => setDraft(before => ({ ...before, ...part }))
  const patch = async (changed: Branding | null, message: string) => {
    await call('PATCH', `satellites/${id}`, { branding: changed })
    await reload()
    toast(message)
  }
  const remove = useAction(async () => {
    await patch(null, t('satelliteBranding.removed'))
    // The button goes with the branding.
    setTimeout(rescueFocus)
  })
  return (
    <>
      <BrandingPreview branding={draft} />
      <Form
        isEdit={branding !== null}
        submit={t('satelliteBranding.submit')}
        send={texts => patch(brandingIn(texts), t('satelliteBranding.saved'))}
        beside={branding && <ActionButton action={remove}>{t('satelliteBranding.remove')}</ActionButton>}
      >
        <Field
          label={t('satelliteBranding.name')}
          name="branding.name"
          value={draft.name}
          onChange={event => change({ name: event.target.value })}
          autoComplete="off"
          maxLength={100}
          required
        />
        <Field
          label={t('satelliteBranding.logo')}
          name="branding.logoUrl"
          type="url"
          defaultValue={draft.logoUrl ?? ''}
          // Not at each keystroke, which would request the logo from half a URL.
          onBlur={event => change({ logoUrl: event.target.value.trim() || null })}
          placeholder="https://shop.example.com/logo.png"
          hint={t('satelliteBranding.logoHint')}
          autoComplete="off"
          maxLength={500}
        />
        <div className="colours">
          <Field
            label={t('satelliteBranding.accent')}
            name="branding.accent"
            type="color"
            value={draft.accent}
            onChange={event => change({ accent: event.target.value })}
          />
          <Field
            label={t('satelliteBranding.background')}
            name="branding.background"
            type="color"
            value={draft.background}
            onChange={event => change({ background: event.target.value })}
          />
        </div>
        <Failure error={remove.error} />
      </Form>
    </>
  )
}

function brandingIn(texts: Readonly<Record<string, string>>): Branding {
  const text = (name: keyof Branding) => texts[`branding.${name}`]?.trim() ?? ''
  return {
    name: text('name'),
    logoUrl: text('logoUrl') || null,
    accent: text('accent'),
    background: text('background'),
  }
}

/** An approximate preview. */
function BrandingPreview({
  branding: { name, logoUrl, accent, background },
}: {
  readonly branding: Branding
}) {
  const [missing, setMissing] = useState<string | null>(null)
  const shown = name.trim() || t('satelliteBranding.yourSite')
  const logo = logoUrl?.startsWith('https://') && URL.canParse(logoUrl) ? logoUrl : null
  return (
    <figure className="branding">
      <div className="branded" style={{ background, color: inkOn(background) }}>
        {logo && logo !== missing && <img key={logo} src={logo} alt="" onError={() => setMissing(logo)} />}
        <strong>{shown}</strong>
        <span className="button" style={{ background: accent, color: inkOn(accent) }}>
          {t('satelliteBranding.continue', { shown })}
        </span>
      </div>
      <figcaption>
        <small>
          {t('satelliteBranding.preview')} {logo && logo === missing && t('satelliteBranding.noPicture')}
        </small>
      </figcaption>
    </figure>
  )
}
