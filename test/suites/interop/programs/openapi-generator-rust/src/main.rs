use client::apis::{configuration::Configuration, playbooks_api::list_playbooks, runs_api::get_run, runs_api::trigger_run, Error};
use client::models::TriggerRunRequest;
use std::{collections::HashMap, env::var, time::Duration};

fn api(key: &str) -> Configuration {
    Configuration {
        base_path: var("BASE_URL").unwrap(),
        bearer_access_token: Some(var(key).unwrap()),
        ..Configuration::new()
    }
}

fn status<T, E>(result: Result<T, Error<E>>) -> u16 {
    match result {
        Err(Error::ResponseError(content)) => content.status.as_u16(),
        _ => 0,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let api1 = api("API_KEY");
    let playbooks = list_playbooks(&api1, None, None, None).await.unwrap();
    assert_eq!((playbooks.meta.total, playbooks.data.len()), (4, 4));
    let request = TriggerRunRequest::new(HashMap::from([("order".into(), "42".into())]));
    let triggered = trigger_run(&api1, playbooks.data[0].id.as_deref().unwrap(), request, None).await.unwrap();
    let mut run = get_run(&api1, triggered.id.as_deref().unwrap(), None).await.unwrap();
    for _ in 0..100 {
        if run.status != "running" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        run = get_run(&api1, triggered.id.as_deref().unwrap(), None).await.unwrap();
    }
    assert_eq!((run.status.as_str(), run.steps.len()), ("succeeded", 2));

    assert_eq!(status(get_run(&api1, "run_unknown", None).await), 404);
    assert_eq!(status(list_playbooks(&api("LIMITED_KEY"), None, None, None).await), 429);
}
