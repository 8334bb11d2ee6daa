/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/flow.h"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FLOW_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define FLOW_ASAN
#endif

namespace {

/* Which names of SimGrid are used: it changed some after 3.32, and 4.1 is to drop the old ones. */
#if SIMGRID_VERSION >= 40000
#define FLOW_SIMGRID_4
#endif

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

/* SimGrid asks a zone for the route of each flow when it starts. This zone answers with the links
 * that the caller of flow_start() named; all flows go from one host to itself, which has no other
 * meaning. */
class CallerRoutes : public routing::NetZoneImpl {
  public:
    CallerRoutes() : NetZoneImpl("links") {
    }
    void get_local_route(const routing::NetPoint *, const routing::NetPoint *, routing::Route *into,
                         double *) override {
        for (const s4u::Link *link : next_route)
            into->link_list_.push_back(link->get_impl());
    }
    void get_graph(const s_xbt_graph_t *, std::map<std::string, xbt_node_t, std::less<>> *,
                   std::map<std::string, xbt_edge_t, std::less<>> *) override {
    }
    std::vector<const s4u::Link *> next_route;
};

class Courier;

/* A timer: date on SimGrid's clock, tag. */
using Alarm = std::pair<double, int64_t>;

} // namespace

/* The one network that SimGrid has in a process. */
struct flows {
    s4u::Engine *engine;
    CallerRoutes *routes;
    s4u::NetZone *zone;
    s4u::Host *host;
    s4u::Mailbox *mailbox;
    std::vector<s4u::Link *> links;
    std::vector<double> carried;
    std::vector<double> binned; // [link * bins + bin]
    bool metered;
    int bins;
    double bin_width;
    std::shared_ptr<Courier> courier; // takes the next flows
    s4u::MutexPtr starting; // held by the courier that starts flows
    flow_hooks hooks;
    double started_s; // SimGrid's clock at the start of this run
    uint64_t steps;
    std::vector<int64_t> ended; // flows of this instant
    std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms;
};

namespace {

flows *net; // also for SimGrid's callbacks

double now_s() {
    return s4u::Engine::get_clock() - net->started_s;
}

/* Calls the hook for each of the tags, the smallest first. */
void call_in_order(std::vector<int64_t> *tags, void (*hook)(void *, int64_t)) {
    std::sort(tags->begin(), tags->end());
    for (int64_t tag : *tags)
        hook(net->hooks.context, tag);
}

/* Calls the hooks for all that has happened within an instant, at its end: equal ends may come apart by rounding, and
 * their order would be an accident. SimGrid starts what the hooks ask for when this returns. */
void call_hooks() {
    std::vector<int64_t> rung, ended;
    for (; !net->alarms.empty() && net->alarms.top().first <= s4u::Engine::get_clock(); net->alarms.pop())
        rung.push_back(net->alarms.top().second);
    ended.swap(net->ended);
    call_in_order(&rung, net->hooks.timer);
    call_in_order(&ended, net->hooks.flow_done);
}

/* Begins an instant at a date; the hooks are called at its end. */
void call_hooks_after(double date) {
    simgrid::kernel::timer::Timer::set(date + flow_instant(date - net->started_s), call_hooks);
}

/* Starts flows. Transfers must be started by an actor with a mailbox: those that need none are kept
 * in one list, which SimGrid 3.32 walks from end to end whenever one of them completes. An actor keeps
 * a record of each transfer that it started for as long as it lives, so a courier takes a limited number
 * of flows and ends with the last of them. */
class Courier {
  public:
    bool takes_more() const {
        return taken_ < flows_max && !(taken_ > 0 && live_ == 0);
    }
    void take(const int *links, int n, int64_t payload, int64_t tag) {
        orders_.push_back({std::vector<int>(links, links + n), payload, tag});
        taken_++;
        live_++;
        wake();
    }
    void run();

  private:
    struct Order {
        std::vector<int> links;
        int64_t payload, tag;
    };
    struct Transfer {
        Courier *courier;
        int64_t tag;
        s4u::CommPtr receive, send;
    };
    static constexpr int flows_max = 4096;

    void start(const Order &order);
    static void done(simgrid::kernel::activity::CommImpl *, void *transfer, size_t);
    void wake() {
        if (asleep_)
            bell_->release();
        asleep_ = false;
    }

    std::deque<Order> orders_;
    std::vector<std::unique_ptr<Transfer>>
        done_; // SimGrid still reads a transfer while it reports its end
    int taken_ = 0, live_ = 0;
    bool asleep_ = false;
    s4u::SemaphorePtr bell_ = s4u::Semaphore::create(0);
    void *received_ = nullptr;
};

/* The body of the actor; all else runs between its turns, in callbacks from SimGrid. */
void Courier::run() {
    for (;;) {
        done_.clear();
        while (!orders_.empty()) {
            // a start takes several turns, and the next route belongs to one start
            net->starting->lock();
            for (; !orders_.empty(); orders_.pop_front())
                start(orders_.front());
            net->starting->unlock();
        }
        if (live_ == 0)
            return;
        asleep_ = true;
        bell_->acquire();
    }
}

void Courier::start(const Order &order) {
    net->routes->next_route.clear();
    for (int link : order.links)
        net->routes->next_route.push_back(net->links[static_cast<size_t>(link)]);
    auto *transfer = new Transfer{this, order.tag, nullptr, nullptr};
    transfer->receive = net->mailbox->get_async<void>(&received_);
    transfer->send = net->mailbox->put_init(transfer, static_cast<uint64_t>(order.payload));
    transfer->send->set_copy_data_callback(done); // called when all has arrived
    transfer->send->start(); // asks for its route
}

void Courier::done(simgrid::kernel::activity::CommImpl *, void *buffer, size_t) {
    auto *transfer = static_cast<Transfer *>(buffer);
    Courier *self = transfer->courier;
    self->done_.emplace_back(transfer);
    if (net->ended.empty())
        call_hooks_after(s4u::Engine::get_clock());
    net->ended.push_back(transfer->tag);
    if (--self->live_ == 0)
        self->wake();
}

/* Returns what goes over a link now, in payload per second. */
double link_rate(const s4u::Link *link) {
#ifdef FLOW_SIMGRID_4
    return link->get_load();
#else
    return link->get_usage();
#endif
}

/* Doubles the width of all bins. */
void widen_bins() {
    const auto bins = static_cast<size_t>(net->bins);
    net->bin_width *= 2;
    for (size_t link = 0; link < net->links.size(); link++) {
        double *bin = &net->binned[link * bins];
        for (size_t i = 0; i < bins; i++) {
            const double left = 2 * i < bins ? bin[2 * i] : 0;
            const double right = 2 * i + 1 < bins ? bin[2 * i + 1] : 0;
            bin[i] = left + right;
        }
    }
}

/* Adds what a link carried at a rate in the last delta_s to the bins that it touches. */
void fill_bins(size_t link, double usage, double delta_s) {
    const double end = now_s(), start = end - delta_s;
    const int last = net->bins - 1;
    const int from = std::min(last, std::max(0, static_cast<int>(start / net->bin_width)));
    double *bin = &net->binned[link * static_cast<size_t>(net->bins)];
    double at = start, left = usage * delta_s;
    for (int i = from; i < last && end > (i + 1) * net->bin_width; i++) {
        const double part = usage * std::max(0.0, (i + 1) * net->bin_width - at);
        bin[i] += part;
        left -= part;
        at = (i + 1) * net->bin_width;
    }
    // what is left belongs to the bin of the end, so that nothing is lost
    bin[std::min(last, std::max(from, static_cast<int>(end / net->bin_width)))] += left;
}

void clock_advanced(double delta_s) {
    net->steps++;
    if (!net->metered || !(delta_s > 0))
        return;
    while (net->bins > 0 && now_s() > net->bin_width * net->bins)
        widen_bins();
    for (size_t link = 0; link < net->links.size(); link++) {
        const double usage = link_rate(net->links[link]);
        net->carried[link] += usage * delta_s;
        if (net->bins > 0 && usage > 0)
            fill_bins(link, usage, delta_s);
    }
}

flows *open_net(const flow_options *options) {
    // CM02 without its corrections is plain max-min with equal weights, as long as all link
    // latencies are 0: it weighs flows by 1/latency otherwise
    char resolution[40];
    std::snprintf(resolution, sizeof resolution, "--cfg=surf/precision:%g", FLOW_RESOLUTION);
    std::vector<std::string> words = {"moesim",
                                      "--cfg=network/model:CM02",
                                      "--cfg=network/crosstraffic:0",
                                      "--cfg=network/TCP-gamma:1e30",
                                      "--cfg=maxmin/precision:1e-9",
                                      resolution,
                                      "--log=root.thres:warning"};
#ifdef FLOW_ASAN
    // the other kinds of contexts swap stacks behind AddressSanitizer's back
    words.push_back("--cfg=contexts/factory:thread");
#endif
    if (!options->apart)
        words.push_back("--cfg=network/optim:Full");
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(&word[0]);
    int argc = static_cast<int>(argv.size());
    argv.push_back(nullptr);

    net = new flows{};
    net->engine = new s4u::Engine(&argc, argv.data());
    net->routes = new CallerRoutes;
    net->zone = net->routes->get_iface();
#ifdef FLOW_SIMGRID_4
    net->routes->set_parent(net->engine->get_netzone_root()->get_impl()); // there is a root already
    net->host = net->zone->add_host("host", 1e9);
#else
    net->host = net->zone->create_host("host", 1e9);
#endif
    net->mailbox = s4u::Mailbox::by_name("flows");
    net->starting = s4u::Mutex::create();
    s4u::Engine::on_time_advance_cb(clock_advanced);
    return net;
}

void close_net(flows *) {
}

int add_link(flows *, double capacity) {
    int id = static_cast<int>(net->links.size());
#ifdef FLOW_SIMGRID_4
    s4u::Link *link = net->zone->add_link(std::to_string(id), capacity);
#else
    s4u::Link *link = net->zone->create_link(std::to_string(id), capacity);
#endif
    link->set_latency(0);
    net->links.push_back(link);
    return id;
}

void seal(flows *) {
    net->zone->seal();
    net->engine->seal_platform();
}

void reset(flows *, const flow_hooks *hooks) {
    net->hooks = *hooks;
    net->started_s = s4u::Engine::get_clock();
    net->steps = 0;
    net->metered = false;
    net->bins = 0;
}

void start(flows *, const int *links, int n, int64_t payload, int64_t tag) {
    if (!net->courier || !net->courier->takes_more()) {
        auto courier = std::make_shared<Courier>();
        net->courier = courier;
#ifdef FLOW_SIMGRID_4
        net->engine->add_actor("courier", net->host, [courier] { courier->run(); });
#else
        s4u::Actor::create("courier", net->host, [courier] { courier->run(); });
#endif
    }
    net->courier->take(links, n, payload, tag);
}

void set_timer(flows *, double delay_s, int64_t tag) {
    const double date = s4u::Engine::get_clock() + delay_s;
    net->alarms.emplace(date, tag);
    call_hooks_after(date);
}

double now(const flows *) {
    return now_s();
}

void run(flows *) {
    net->engine->run();
    net->courier = nullptr;
}

void meter(flows *) {
    net->metered = true;
    net->carried.assign(net->links.size(), 0.0);
}

double carried(const flows *, int link) {
    return net->carried[static_cast<size_t>(link)];
}

void count_bins(flows *, int bins, double width) {
    net->bins = bins;
    net->bin_width = width;
    net->binned.assign(net->links.size() * static_cast<size_t>(bins), 0.0);
}

double bin_width(const flows *) {
    return net->bin_width;
}

double binned(const flows *, int link, int bin) {
    return net->binned[static_cast<size_t>(link) * static_cast<size_t>(net->bins) +
                       static_cast<size_t>(bin)];
}

flow_cost cost(const flows *) {
    return {net->steps, 0};
}

} // namespace

const flow_engine flow_simgrid = {"simgrid", open_net, close_net, add_link, seal,       reset,     start,  set_timer,
                                  now,       run,      meter,     carried,  count_bins, bin_width, binned, cost};

void flow_version(int *major, int *minor, int *patch) {
    sg_version_get(major, minor, patch);
}
