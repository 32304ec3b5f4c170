import type { CrmMapping } from '../../domain/leads/crm-change.ts';
import { crmEventKey } from '../../domain/leads/crm-event.ts';
import { isTestId } from '../../domain/leads/test-lead.ts';
import type { AppSettings } from '../../flows/app-settings.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../ports/log.ts';
import type { CallbackId } from '../../store/leads/callback-ids.ts';
import type { RecordReference } from '../../store/leads/callbacks.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';

export function callbackRoutes({
  store,
  settings,
  now,
  log,
}: {
  store: Store;
  settings: AppSettings;
  now: () => number;
  log: Log;
}): Pick<Handlers, 'crmCallback' | 'flowCallback' | 'crmEvent'> {
  const mapping = async (): Promise<CrmMapping> => {
    const { crmStageMap, crmValueFields } = await settings.current();
    return { stages: crmStageMap, valueFields: crmValueFields };
  };
  return {
    async crmCallback({ body, callbackId }) {
      const { lead_public_id = null, lead_submission_public_id = null } = body;
      if (isTestId(lead_public_id ?? lead_submission_public_id)) {
        return {
          ok: true,
          crm_lead_id: body.crm_lead_id.trim(),
          updated_lead: false,
          updated_submission: false,
          lead_public_id,
          lead_submission_public_id,
          lead_id: null,
          test: true,
        };
      }
      const { lead, submission } = await store.recordCrmId({
        callbackId: idOf('crm', callbackId, now()),
        lead: reference(body.lead_id, body.lead_public_id),
        submission: reference(body.lead_submission_id, body.lead_submission_public_id),
        crmLeadId: body.crm_lead_id.trim(),
        mapping: await mapping(),
        now: now(),
      });
      if (lead === null && submission === null) {
        throw new AppError('not_found', 'There is no lead or submission with this id.');
      }
      return {
        ok: true,
        crm_lead_id: body.crm_lead_id.trim(),
        updated_lead: lead !== null,
        updated_submission: submission !== null,
        lead_public_id: lead?.publicId ?? null,
        lead_submission_public_id: submission?.publicId ?? null,
        lead_id: lead?.id ?? null,
      };
    },

    async flowCallback({ body, callbackId }) {
      const { flow_send_public_id, flow_execution_url, flow_execution_id, flow_execution_status } = body;
      if (isTestId(flow_send_public_id)) {
        return {
          ok: true,
          flow_send_public_id,
          flow_execution_url,
          flow_execution_status: flow_execution_status ?? null,
          test: true,
        };
      }
      const isKnown = await store.recordFlowResult({
        callbackId: idOf('flow', callbackId, now()),
        sendPublicId: flow_send_public_id.toLowerCase(),
        executionUrl: flow_execution_url,
        executionId: flow_execution_id == null ? null : String(flow_execution_id),
        executionStatus: flow_execution_status ?? null,
        callback: JSON.stringify(body),
      });
      if (!isKnown) throw new AppError('not_found', 'There is no delivery with this id.');
      return {
        ok: true,
        flow_send_public_id,
        flow_execution_url,
        flow_execution_status: flow_execution_status ?? null,
      };
    },

    async crmEvent({ body, callbackId }) {
      const crmLeadId = body.crm_lead_id.trim();
      const payload = JSON.stringify(body);
      const leadId = await store.recordCrmEvent({
        callbackId: idOf('event', callbackId, now()),
        crmLeadId,
        eventType: body.event_type?.trim() || 'updated',
        payload,
        key: crmEventKey({ crmLeadId, eventId: body.event_id, payload }),
        mapping: await mapping(),
        at: now(),
      });
      if (leadId !== null) return { ok: true, stored: true, lead_id: leadId };
      // Without the type: a CRM may have put anything there.
      log.info('CRM event of an unknown lead');
      return { ok: true, stored: false, reason: 'No lead or submission has this crm_lead_id yet.' };
    },
  };
}

/** A sender may use the same id for two endpoints. */
function idOf(endpoint: 'crm' | 'flow' | 'event', id: string | null, at: number): CallbackId {
  return id === null ? null : { id: `${endpoint} ${id}`, at };
}

function reference(
  id: number | null | undefined,
  publicId: string | null | undefined,
): RecordReference | null {
  if (id != null) return { id };
  return publicId == null ? null : { publicId: publicId.toLowerCase() };
}
