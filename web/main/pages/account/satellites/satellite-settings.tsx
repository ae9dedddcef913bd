import { RadioChoice, SelectField } from '../../../../pieces/forms/choice.js'
import { Field } from '../../../../pieces/forms/field.js'
import { Form } from '../../../../pieces/forms/form.js'
import { t } from '../../../../pieces/language/t.js'
import { toast } from '../../../../pieces/notices/toasts.js'
import { permissionName } from '../../../../pieces/people/permission-names.js'
import { call } from '../../../api.js'
import type { SatelliteProps } from './satellite-props.js'
import { sessionOptions } from './session-options.js'

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

export function SatelliteSettings({ satellite, reload }: SatelliteProps) {
  const { id, name, kind, ceiling, loginMode, secondFactor, sessionSeconds } = satellite
  const save = async (texts: Readonly<Record<string, string>>) => {
    await call('PATCH', `satellites/${id}`, {
      name: texts.name?.trim(),
      ceiling: Object.fromEntries(CEILING.map(permission => [permission, permission in texts])),
      loginMode: texts.loginMode,
      secondFactor: texts.secondFactor,
      sessionSeconds: texts.sessionSeconds ? Number(texts.sessionSeconds) : null,
    })
    await reload()
    toast(t('satelliteSettings.saved'))
  }
  return (
    <Form submit={t('satelliteSettings.submit')} send={save}>
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
    </Form>
  )
}
