require 'uri'
require 'openapi_client'

def api(key)
  configuration = OpenapiClient::Configuration.new
  base = URI(ENV.fetch('BASE_URL'))
  configuration.scheme = base.scheme
  configuration.host = "#{base.host}:#{base.port}"
  configuration.base_path = base.path
  configuration.access_token = key
  configuration.server_index = nil
  OpenapiClient::ApiClient.new(configuration)
end

def status_of
  yield
  raise 'no error'
rescue OpenapiClient::ApiError => error
  error.code
end

client = api(ENV.fetch('API_KEY'))
playbooks = OpenapiClient::PlaybooksApi.new(client).list_playbooks
raise 'list' unless playbooks.meta.total == 4 && playbooks.data.length == 4

runs = OpenapiClient::RunsApi.new(client)
request = OpenapiClient::TriggerRunRequest.new(inputs: { 'order' => '42' })
run = runs.trigger_run(playbooks.data.first.id, request)
100.times do
  run = runs.get_run(run.id)
  break if %w[succeeded failed].include?(run.status)

  sleep 0.05
end
raise "run is #{run.status}" unless run.status == 'succeeded' && run.steps.length == 2

raise '404' unless status_of { runs.get_run('run_unknown') } == 404
limited = OpenapiClient::PlaybooksApi.new(api(ENV.fetch('LIMITED_KEY')))
raise '429' unless status_of { limited.list_playbooks } == 429
